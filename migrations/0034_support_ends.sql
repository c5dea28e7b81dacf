CREATE TABLE `support_told` (
	`org_id` integer NOT NULL,
	`lifecycle_id` text NOT NULL,
	`release` text NOT NULL,
	`ends_on` text NOT NULL,
	`stage` integer NOT NULL,
	`told_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `lifecycle_id`, `release`, `ends_on`, `stage`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `on_end_of_life` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `on_end_of_life` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `support_turn_at` text DEFAULT '' NOT NULL;