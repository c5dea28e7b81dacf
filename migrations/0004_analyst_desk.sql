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
CREATE TABLE `org_vulns` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `org_vulns_by_vuln` ON `org_vulns` (`vuln_id`,`org_id`);--> statement-breakpoint
DROP INDEX `bulletins_by_vendor`;--> statement-breakpoint
CREATE INDEX `bulletins_by_severity` ON `bulletins` (`severity`,`published`,`id`);--> statement-breakpoint
CREATE INDEX `bulletins_by_vendor` ON `bulletins` (`vendor`,`published`,`id`);--> statement-breakpoint
DROP INDEX `vuln_records_by_source`;--> statement-breakpoint
CREATE INDEX `vuln_records_by_source` ON `vuln_records` (`source`,`vuln_id`) WHERE source not in ('cve', 'nvd');--> statement-breakpoint
DROP INDEX `vulns_by_updated`;--> statement-breakpoint
DROP INDEX `vulns_by_kev`;--> statement-breakpoint
CREATE INDEX `vulns_by_modified` ON `vulns` (`modified`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_cvss4` ON `vulns` (`cvss4`,`id`) WHERE cvss4 is not null and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_summary` ON `vulns` (substr(summary, 1, 12),`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_wild` ON `vulns` (`updated_at`,`id`) WHERE is_in_the_wild = 1 and state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_exploitable` ON `vulns` (`updated_at`,`id`) WHERE is_exploitable = 1 and state <> 'rejected';--> statement-breakpoint
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
--> statement-breakpoint
-- The conflict clauses are those of upserts: an OR IGNORE would give way to that of the statement that fires the trigger.
-- Who watches what, by the four ways of worker/watchlist/monitored.
CREATE VIEW org_watch AS
SELECT org_id, vuln_id FROM monitored_vulns
UNION ALL SELECT m.org_id, l.vuln_id FROM vuln_products l JOIN monitored_products m ON m.product_id = l.product_id WHERE m.is_monitored = 1
UNION ALL SELECT m.org_id, l.vuln_id FROM vuln_packages l JOIN monitored_packages m ON m.package_id = l.package_id
UNION ALL SELECT m.org_id, l.vuln_id FROM vuln_products l JOIN monitored_vendors m ON m.vendor_id = l.vendor_id
  WHERE NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = m.org_id AND x.product_id = l.product_id AND x.is_monitored = 0);
--> statement-breakpoint
CREATE TRIGGER org_vulns_link AFTER INSERT ON vuln_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT org_id, new.vuln_id FROM monitored_products WHERE product_id = new.product_id AND is_monitored = 1 ON CONFLICT DO NOTHING;
  INSERT INTO org_vulns(org_id, vuln_id) SELECT m.org_id, new.vuln_id FROM monitored_vendors m WHERE m.vendor_id = new.vendor_id
    AND NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = m.org_id AND x.product_id = new.product_id AND x.is_monitored = 0) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_unlink AFTER DELETE ON vuln_products BEGIN
  DELETE FROM org_vulns WHERE vuln_id = old.vuln_id
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = org_vulns.org_id AND w.vuln_id = old.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_package_link AFTER INSERT ON vuln_packages BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT org_id, new.vuln_id FROM monitored_packages WHERE package_id = new.package_id ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_package_unlink AFTER DELETE ON vuln_packages BEGIN
  DELETE FROM org_vulns WHERE vuln_id = old.vuln_id
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = org_vulns.org_id AND w.vuln_id = old.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_vuln AFTER INSERT ON monitored_vulns BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) VALUES (new.org_id, new.vuln_id) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_no_vuln AFTER DELETE ON monitored_vulns BEGIN
  DELETE FROM org_vulns WHERE org_id = old.org_id AND vuln_id = old.vuln_id
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = old.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_package AFTER INSERT ON monitored_packages BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT new.org_id, vuln_id FROM vuln_packages WHERE package_id = new.package_id ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_no_package AFTER DELETE ON monitored_packages BEGIN
  DELETE FROM org_vulns WHERE org_id = old.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_packages WHERE package_id = old.package_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_vendor AFTER INSERT ON monitored_vendors BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT new.org_id, l.vuln_id FROM vuln_products l WHERE l.vendor_id = new.vendor_id
    AND NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = new.org_id AND x.product_id = l.product_id AND x.is_monitored = 0) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_no_vendor AFTER DELETE ON monitored_vendors BEGIN
  DELETE FROM org_vulns WHERE org_id = old.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE vendor_id = old.vendor_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_product AFTER INSERT ON monitored_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT new.org_id, l.vuln_id FROM vuln_products l WHERE l.product_id = new.product_id
    AND EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = l.vuln_id) ON CONFLICT DO NOTHING;
  DELETE FROM org_vulns WHERE org_id = new.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = new.product_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_product_set AFTER UPDATE ON monitored_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT new.org_id, l.vuln_id FROM vuln_products l WHERE l.product_id = new.product_id
    AND EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = l.vuln_id) ON CONFLICT DO NOTHING;
  DELETE FROM org_vulns WHERE org_id = new.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = new.product_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = new.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
CREATE TRIGGER org_vulns_no_product AFTER DELETE ON monitored_products BEGIN
  INSERT INTO org_vulns(org_id, vuln_id) SELECT old.org_id, l.vuln_id FROM vuln_products l WHERE l.product_id = old.product_id
    AND EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = l.vuln_id) ON CONFLICT DO NOTHING;
  DELETE FROM org_vulns WHERE org_id = old.org_id AND vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = old.product_id)
    AND NOT EXISTS (SELECT 1 FROM org_watch w WHERE w.org_id = old.org_id AND w.vuln_id = org_vulns.vuln_id);
END;
--> statement-breakpoint
INSERT INTO org_vulns(org_id, vuln_id) SELECT org_id, vuln_id FROM org_watch WHERE true ON CONFLICT DO NOTHING;
