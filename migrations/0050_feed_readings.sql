ALTER TABLE `feeds` ADD `reading` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `feeds` ADD `reread_at` text;--> statement-breakpoint
ALTER TABLE `feeds` ADD `reread_count` integer;