CREATE TABLE `report_pages` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`period` text NOT NULL,
	`page` integer NOT NULL,
	`body` text NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `period`, `page`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `deliveries` ADD `reported_in` text;
--> statement-breakpoint
-- Of the last days: where each stands. What was ticked off and stands nowhere is told in the next report after all.
UPDATE deliveries SET reported_in = (
	SELECT json_array(r.kind, r.period, 1) FROM alerts a JOIN reports r ON r.org_id = a.org_id AND r.ends_at > a.created_at
		JOIN json_each(r.facts, '$.rows') n ON n.value ->> 'id' = a.vuln_id
	WHERE a.id = deliveries.alert_id ORDER BY r.ends_at LIMIT 1
) WHERE status = 'reported' AND sent_at >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-7 days');
--> statement-breakpoint
UPDATE deliveries SET status = 'held', sent_at = NULL
WHERE status = 'reported' AND reported_in IS NULL AND sent_at >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-7 days');
--> statement-breakpoint
-- Nobody set a number: 20 was what a channel of a machine began with.
UPDATE alert_channels SET daily_max = 0 WHERE channel IN ('thehive', 'misp', 'webhook') AND daily_max = 20;
