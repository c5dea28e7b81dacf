CREATE TABLE `alert_escalations` (
	`org_id` integer NOT NULL,
	`channel` text NOT NULL,
	`next` text NOT NULL,
	`minutes` integer NOT NULL,
	PRIMARY KEY(`org_id`, `channel`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `alerts` ADD `acknowledged_at` text;--> statement-breakpoint
ALTER TABLE `alerts` ADD `acknowledged_by` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `escalated_from` text DEFAULT '' NOT NULL;