ALTER TABLE `alert_channels` ADD `on_due` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `on_due` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `due_turn_at` text DEFAULT '' NOT NULL;