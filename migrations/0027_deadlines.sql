CREATE TABLE `public_exposures` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	`label` text NOT NULL,
	`is_exposed` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `item_id`, `label`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
DROP INDEX `vulns_by_confirmed`;--> statement-breakpoint
DROP INDEX `vulns_by_news`;--> statement-breakpoint
CREATE INDEX `vulns_by_marks` ON `vulns` (`is_in_the_news`,`is_confirmed`) WHERE (is_in_the_news = 1 OR is_confirmed = 1) AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `due_policy` text DEFAULT 'cisa_kev' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `due_days` text;--> statement-breakpoint
ALTER TABLE `org_vulns` ADD `since` integer;--> statement-breakpoint
ALTER TABLE `org_vulns` ADD `exposure` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `org_vulns` ADD `due` text;--> statement-breakpoint
CREATE INDEX `org_vulns_by_due` ON `org_vulns` (`org_id`,`due`,`vuln_id`) WHERE due IS NOT NULL;