ALTER TABLE `sso_domains` ADD `checked_at` text;--> statement-breakpoint
ALTER TABLE `sso_domains` ADD `missing_since` text;