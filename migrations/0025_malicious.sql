ALTER TABLE `alert_channels` ADD `on_malicious` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `on_malicious` integer DEFAULT true NOT NULL;