ALTER TABLE `lifecycle_names` ADD `release` text;--> statement-breakpoint
ALTER TABLE `lifecycle_names` ADD `confirmed_by` text;--> statement-breakpoint
ALTER TABLE `lifecycles` ADD `words` text DEFAULT '[]' NOT NULL;