ALTER TABLE `alert_channels` ADD `name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `addresses` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `template` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `only_exploited` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `pace` text DEFAULT 'now' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `pace_hour` integer DEFAULT 8 NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `quiet_from` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `quiet_to` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `zone` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `only_exploited` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `pace` text DEFAULT 'now' NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `pace_hour` integer DEFAULT 8 NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `quiet_from` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `quiet_to` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `zone` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `digest` text DEFAULT '' NOT NULL;