CREATE TABLE `summarized_malice` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`vuln_id`, `org_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `summarized_malice`(`org_id`, `vuln_id`)
SELECT DISTINCT a.org_id, v.id FROM alerts a CROSS JOIN json_each(iif(json_valid(a.saw), a.saw, '{}'), '$.vulns') j CROSS JOIN vulns v ON v.id = j.value
WHERE a.suppressed = 'summarized' AND v.is_malicious = 1;
