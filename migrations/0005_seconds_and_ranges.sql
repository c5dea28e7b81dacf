-- Times in seconds: a row and each index of it take 15 bytes less. Columns are put in the place of others, as other tables
-- and triggers name this one.
DROP INDEX `vulns_by_updated`;
--> statement-breakpoint
DROP INDEX `vulns_by_published`;
--> statement-breakpoint
DROP INDEX `vulns_by_modified`;
--> statement-breakpoint
DROP INDEX `vulns_by_score`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss3`;
--> statement-breakpoint
DROP INDEX `vulns_by_cvss4`;
--> statement-breakpoint
DROP INDEX `vulns_by_kev`;
--> statement-breakpoint
DROP INDEX `vulns_by_wild`;
--> statement-breakpoint
DROP INDEX `vulns_by_exploitable`;
--> statement-breakpoint
DROP INDEX `vulns_by_news`;
--> statement-breakpoint
DROP INDEX `vulns_by_exploits`;
--> statement-breakpoint
DROP INDEX `vulns_by_cwe`;
--> statement-breakpoint
DROP INDEX `vulns_by_org`;
--> statement-breakpoint
DROP INDEX `vulns_by_exploit`;
--> statement-breakpoint
DROP INDEX `vulns_by_summary`;
--> statement-breakpoint
DROP INDEX `vulns_by_epss`;
--> statement-breakpoint
ALTER TABLE `vulns` RENAME COLUMN `published` TO `published_text`;
--> statement-breakpoint
ALTER TABLE `vulns` RENAME COLUMN `modified` TO `modified_text`;
--> statement-breakpoint
ALTER TABLE `vulns` RENAME COLUMN `created_at` TO `created_at_text`;
--> statement-breakpoint
ALTER TABLE `vulns` RENAME COLUMN `updated_at` TO `updated_at_text`;
--> statement-breakpoint
ALTER TABLE `vulns` ADD `published` integer;
--> statement-breakpoint
ALTER TABLE `vulns` ADD `modified` integer;
--> statement-breakpoint
ALTER TABLE `vulns` ADD `created_at` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `vulns` ADD `updated_at` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `vulns` ADD `access` text;
--> statement-breakpoint
ALTER TABLE `vulns` ADD `impact` text;
--> statement-breakpoint
UPDATE vulns SET published = unixepoch(published_text), modified = unixepoch(modified_text), created_at = unixepoch(created_at_text), updated_at = unixepoch(updated_at_text);
--> statement-breakpoint
UPDATE vulns SET access = CASE WHEN instr(t.v, '/AV:N/') THEN 'N' WHEN instr(t.v, '/AV:L/') OR instr(t.v, '/AV:P/') THEN 'L' WHEN instr(t.v, '/AV:A/') THEN 'A' END || CASE WHEN instr(t.v, '/AC:L/') THEN 'L' WHEN instr(t.v, '/AC:M/') THEN 'M' WHEN instr(t.v, '/AC:H/') THEN 'H' END || CASE WHEN instr(t.v, '/Au:N/') OR instr(t.v, '/PR:N/') THEN 'N' WHEN instr(t.v, '/Au:S/') OR instr(t.v, '/PR:L/') THEN 'S' WHEN instr(t.v, '/Au:M/') OR instr(t.v, '/PR:H/') THEN 'M' END,
  impact = CASE WHEN instr(t.v, '/C:N/') OR instr(t.v, '/VC:N/') THEN 'N' WHEN instr(t.v, '/C:P/') OR instr(t.v, '/C:L/') OR instr(t.v, '/VC:L/') THEN 'P' WHEN instr(t.v, '/C:C/') OR instr(t.v, '/C:H/') OR instr(t.v, '/VC:H/') THEN 'C' END || CASE WHEN instr(t.v, '/I:N/') OR instr(t.v, '/VI:N/') THEN 'N' WHEN instr(t.v, '/I:P/') OR instr(t.v, '/I:L/') OR instr(t.v, '/VI:L/') THEN 'P' WHEN instr(t.v, '/I:C/') OR instr(t.v, '/I:H/') OR instr(t.v, '/VI:H/') THEN 'C' END || CASE WHEN instr(t.v, '/A:N/') OR instr(t.v, '/VA:N/') THEN 'N' WHEN instr(t.v, '/A:P/') OR instr(t.v, '/A:L/') OR instr(t.v, '/VA:L/') THEN 'P' WHEN instr(t.v, '/A:C/') OR instr(t.v, '/A:H/') OR instr(t.v, '/VA:H/') THEN 'C' END
FROM (SELECT id, '/' || trim(coalesce(cvss_vector, cvss3_vector, cvss4_vector), '()') || '/' AS v FROM vulns) t WHERE t.id = vulns.id AND t.v IS NOT NULL;
--> statement-breakpoint
ALTER TABLE `vulns` DROP COLUMN `published_text`;
--> statement-breakpoint
ALTER TABLE `vulns` DROP COLUMN `modified_text`;
--> statement-breakpoint
ALTER TABLE `vulns` DROP COLUMN `created_at_text`;
--> statement-breakpoint
ALTER TABLE `vulns` DROP COLUMN `updated_at_text`;
--> statement-breakpoint
CREATE INDEX `vulns_by_updated` ON `vulns` (`updated_at`,`id`,`score`,`cvss`,`cvss3`,`epss`,`exploit_count`,`is_exploitable`,`is_confirmed`,`is_in_the_news`,`is_in_the_wild`,`org_id`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_published` ON `vulns` (`published`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_modified` ON `vulns` (`modified`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_score` ON `vulns` (`score`,`updated_at`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss` ON `vulns` (`cvss`,`updated_at`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3` ON `vulns` (`cvss3`,`updated_at`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss4` ON `vulns` (`cvss4`,`updated_at`) WHERE cvss4 is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_epss_step` ON `vulns` (CASE WHEN epss < 0.002 THEN CAST(epss * 20000 AS INTEGER) + 0 WHEN epss < 0.01 THEN CAST(epss * 1000 AS INTEGER) + 38 WHEN epss < 0.1 THEN CAST(epss * 100 AS INTEGER) + 47 ELSE CAST(epss * 50 AS INTEGER) + 52 END,`updated_at`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_access` ON `vulns` (`access`,`updated_at`) WHERE access is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_impact` ON `vulns` (`impact`,`updated_at`) WHERE impact is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_kev` ON `vulns` (`updated_at`) WHERE kev_added_at is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_wild` ON `vulns` (`updated_at`) WHERE is_in_the_wild = 1 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_confirmed` ON `vulns` (`updated_at`) WHERE is_confirmed = 1 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_exploitable` ON `vulns` (`updated_at`) WHERE is_exploitable = 1 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_news` ON `vulns` (`updated_at`) WHERE is_in_the_news = 1 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_exploits` ON `vulns` (`exploit_count`,`updated_at`) WHERE exploit_count > 0 and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_cwe` ON `vulns` (`cwe_id`,`updated_at`) WHERE cwe_id is not null and state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_epss` ON `vulns` (`epss`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_summary` ON `vulns` (substr(summary, 1, 12)) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_exploit` ON `vulns` (`exploit_published`) WHERE exploit_published is not null;
--> statement-breakpoint
CREATE INDEX `vulns_by_org` ON `vulns` (`org_id`) WHERE org_id is not null;
--> statement-breakpoint
CREATE INDEX `vulns_by_day` ON `vulns` (published / 86400,`updated_at`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE INDEX `vulns_by_quarter` ON `vulns` (published / 7889400,`updated_at`) WHERE state <> 'rejected';
--> statement-breakpoint
CREATE TABLE `__new_vuln_records` (
	`vuln_id` integer NOT NULL,
	`source` text NOT NULL,
	`hash` text NOT NULL,
	`modified` integer,
	`body` blob NOT NULL,
	PRIMARY KEY(`vuln_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_vuln_records`("vuln_id", "source", "hash", "modified", "body") SELECT "vuln_id", "source", "hash", unixepoch("modified"), "body" FROM `vuln_records`;
--> statement-breakpoint
DROP TABLE `vuln_records`;
--> statement-breakpoint
ALTER TABLE `__new_vuln_records` RENAME TO `vuln_records`;
--> statement-breakpoint
CREATE INDEX `vuln_records_by_source` ON `vuln_records` (`source`,`vuln_id`) WHERE source not in ('cve', 'nvd');
