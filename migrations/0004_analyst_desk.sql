CREATE TABLE `subscribers` (
	`id` integer PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`state` text NOT NULL,
	`created_at` text NOT NULL,
	`confirmed_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_by_email` ON `subscribers` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_by_token` ON `subscribers` (`token_hash`);--> statement-breakpoint
CREATE TABLE `product_versions` (
	`product_id` integer PRIMARY KEY NOT NULL,
	`made_of` text NOT NULL,
	`versions_count` integer NOT NULL,
	`versions` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `comments` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`user_id` integer,
	`body` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `comments_by_vuln` ON `comments` (`org_id`,`vuln_id`,`id`);--> statement-breakpoint
CREATE TABLE `quotas` (
	`org_id` integer NOT NULL,
	`name` text NOT NULL,
	`day` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`org_id`, `name`, `day`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `saved_views` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`is_shared` integer DEFAULT false NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `saved_views_by_org` ON `saved_views` (`org_id`,`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `saved_views_by_name` ON `saved_views` (`org_id`,`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `vuln_status_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`status` text NOT NULL,
	`at` text NOT NULL,
	`user_id` integer,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `vuln_status_changes_by_vuln` ON `vuln_status_changes` (`org_id`,`vuln_id`,`id`);--> statement-breakpoint
CREATE TABLE `vuln_statuses` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`status` text NOT NULL,
	`updated_at` text NOT NULL,
	`user_id` integer,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_statuses_by_status` ON `vuln_statuses` (`org_id`,`status`,`vuln_id`);--> statement-breakpoint
DROP INDEX `bulletins_by_vendor`;--> statement-breakpoint
CREATE INDEX `bulletins_by_severity` ON `bulletins` (`severity`,`published`,`id`);--> statement-breakpoint
CREATE INDEX `bulletins_by_vendor` ON `bulletins` (`vendor`,`published`,`id`);--> statement-breakpoint
DROP INDEX `vulns_by_updated`;--> statement-breakpoint
DROP INDEX `vulns_by_kev`;--> statement-breakpoint
CREATE INDEX `vulns_by_modified` ON `vulns` (`modified`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_cvss4` ON `vulns` (`cvss4`,`id`) WHERE cvss4 is not null and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_summary` ON `vulns` (substr(summary, 1, 12),`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_wild` ON `vulns` (`updated_at`,`id`) WHERE is_in_the_wild = 1 and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_news` ON `vulns` (`updated_at`,`id`) WHERE is_in_the_news = 1 and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_exploits` ON `vulns` (`exploit_count`,`updated_at`,`id`) WHERE exploit_count > 0 and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_cwe` ON `vulns` (`cwe_id`,`updated_at`,`id`) WHERE cwe_id is not null and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_updated` ON `vulns` (`updated_at`,`id`,`score`,`cvss`,`cvss3`,`epss`,`exploit_count`,`is_exploitable`,`is_confirmed`,`is_in_the_news`,`is_in_the_wild`,`org_id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_kev` ON `vulns` (`updated_at`,`id`) WHERE kev_added_at is not null and state <> 'rejected';--> statement-breakpoint
ALTER TABLE `mails` ADD `headers` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX `packages_by_type_updated` ON `packages` (`type`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `packages_by_vulns` ON `packages` (`vulns_count`,`id`);--> statement-breakpoint
CREATE INDEX `products_by_vulns` ON `products` (`vulns_count`,`id`);--> statement-breakpoint
CREATE INDEX `vendors_by_vulns` ON `vendors` (`vulns_count`,`id`);--> statement-breakpoint
CREATE INDEX `vendors_by_products` ON `vendors` (`products_count`,`id`);
--> statement-breakpoint
INSERT INTO counters(name, value) SELECT 'cves', count(*) FROM vulns WHERE cveid LIKE 'CVE-%' AND state <> 'rejected';
--> statement-breakpoint
DROP TRIGGER vulns_fts_remove;
--> statement-breakpoint
DROP TRIGGER vulns_fts_replace;
--> statement-breakpoint
-- One trigger: of two, SQLite may run either first, and a removal after the insertion takes the words that both have.
CREATE TRIGGER vulns_fts_update AFTER UPDATE OF cveid, summary, keywords, state ON vulns
WHEN (old.state <> 'rejected') <> (new.state <> 'rejected') OR old.cveid IS NOT new.cveid OR old.summary IS NOT new.summary OR old.keywords IS NOT new.keywords BEGIN
  INSERT INTO vulns_fts(vulns_fts, rowid, cveid, summary, keywords) SELECT 'delete', old.id, old.cveid, old.summary, old.keywords WHERE old.state <> 'rejected';
  INSERT INTO vulns_fts(rowid, cveid, summary, keywords) SELECT new.id, new.cveid, new.summary, new.keywords WHERE new.state <> 'rejected';
END;
--> statement-breakpoint
INSERT INTO vulns_fts(vulns_fts) VALUES ('delete-all');
--> statement-breakpoint
INSERT INTO vulns_fts(rowid, cveid, summary, keywords) SELECT id, cveid, summary, keywords FROM vulns WHERE state <> 'rejected';
