DROP INDEX `vulns_by_rank`;--> statement-breakpoint
CREATE INDEX `vulns_by_rank` ON `vulns` (`score`,(state = 'published'),(kev_added_at IS NOT NULL),`epss`,`published`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
ALTER TABLE `members` ADD `has_closed_steps` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE vulns SET score = 89 WHERE score > 89 AND NOT is_malicious AND coalesce(cvss_vector, cvss3_vector, cvss4_vector) IS NULL;
