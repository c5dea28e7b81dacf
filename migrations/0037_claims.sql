CREATE TABLE `exploitation_claims` (
	`vuln_id` integer NOT NULL,
	`key` text NOT NULL,
	`catalogue` text NOT NULL,
	`name` text NOT NULL,
	`exploited` integer NOT NULL,
	`reason` text NOT NULL,
	`is_exploited` integer NOT NULL,
	`added` text NOT NULL,
	`withdrawn_at` integer,
	`notes` text NOT NULL,
	`link` text NOT NULL,
	`evidence` text NOT NULL,
	PRIMARY KEY(`vuln_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO exploitation_claims(vuln_id, key, catalogue, name, exploited, reason, is_exploited, added, notes, link, evidence)
SELECT vuln_id, key, iif(key = 'kev', 'cisa', 'eu'), iif(key = 'kev', 'CISA KEV', 'EU KEV'), 1, 'confirmed', 1,
  coalesce(substr(published, 1, 10), ''), notes, link, '[]'
FROM threats WHERE key IN ('kev', 'eukev') AND source = key AND org_id IS NULL;
--> statement-breakpoint
-- The records of the EU's list say it in other fields now: it is read again as history.
UPDATE feeds SET cursor = NULL WHERE id = 'eukev';
