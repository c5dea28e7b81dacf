ALTER TABLE `feed_runs` ADD `rewritten` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `feeds` ADD `mass_edit_at` text;--> statement-breakpoint
ALTER TABLE `feeds` ADD `mass_edit_count` integer;