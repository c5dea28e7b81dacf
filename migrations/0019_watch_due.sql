CREATE TABLE `watch_due` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `item_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
