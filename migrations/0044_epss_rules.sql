ALTER TABLE `alert_channels` ADD `on_epss` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `epss_value` text DEFAULT '95th' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `on_epss` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `epss_value` text DEFAULT '95th' NOT NULL;