CREATE TABLE `summarized_malice` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
