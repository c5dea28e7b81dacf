CREATE TABLE `withdrawn_bulletins` (
	`source` text NOT NULL,
	`publicid` text NOT NULL,
	`version` text NOT NULL,
	`modified` text NOT NULL,
	PRIMARY KEY(`source`, `publicid`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `ends_told_at` text DEFAULT '' NOT NULL;
--> statement-breakpoint
INSERT INTO `summarized_malice`(`org_id`, `vuln_id`)
SELECT DISTINCT a.org_id, a.vuln_id FROM alerts a WHERE a.suppressed IS NULL AND a.fired & 256 AND NOT EXISTS (
  SELECT 1 FROM alerts b WHERE b.org_id = a.org_id AND b.vuln_id = a.vuln_id AND b.change_seq >= a.change_seq AND b.fired & 512)
ON CONFLICT DO NOTHING;
