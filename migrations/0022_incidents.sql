CREATE TABLE `incidents` (
	`org_id` integer NOT NULL,
	`channel` text NOT NULL,
	`vuln_id` integer NOT NULL,
	`alert_id` integer NOT NULL,
	`is_acknowledged` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`org_id`, `channel`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
