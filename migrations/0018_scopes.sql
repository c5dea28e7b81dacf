ALTER TABLE `alert_channels` ADD `inventories` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `views` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `inventories` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `views` text DEFAULT '[]' NOT NULL;