CREATE TABLE `risen_verdicts` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `org_vulns` ADD `risen` integer DEFAULT 0 NOT NULL;