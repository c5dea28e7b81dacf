CREATE TABLE `census_months` (
	`month` text PRIMARY KEY NOT NULL,
	`counted_at` text NOT NULL,
	`cves` integer NOT NULL,
	`by_name` integer NOT NULL,
	`sources` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `counters`(`name`, `value`)
SELECT 'cves_awaiting', count(*) FILTER (WHERE `state` = 'awaiting') FROM `vulns` WHERE `org_id` IS NULL AND `cveid` LIKE 'CVE-%'
UNION ALL SELECT 'cves_rejected', count(*) FILTER (WHERE `state` = 'rejected') FROM `vulns` WHERE `org_id` IS NULL AND `cveid` LIKE 'CVE-%';
