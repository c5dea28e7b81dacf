CREATE TABLE `cra_clocks` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`started_at` text NOT NULL,
	`aware_at` text NOT NULL,
	`fix_at` text,
	`is_fix_stated` integer DEFAULT false NOT NULL,
	`is_done` integer DEFAULT false NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `cra_dues` (
	`at` text NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`at`, `org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `cra_reports` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`mark` text NOT NULL,
	`done_at` text NOT NULL,
	`noted_at` text NOT NULL,
	`user_id` integer,
	`note` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`, `mark`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `own_products` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`seen` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `alert_channels` ADD `on_cra` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `on_cra` integer DEFAULT true NOT NULL;