CREATE TABLE `alert_waits` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`planned_to` integer NOT NULL,
	`since` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `judge_turns` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`hour` text NOT NULL,
	`used` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
