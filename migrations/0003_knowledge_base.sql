CREATE TABLE `feed_holes` (
	`feed_id` text NOT NULL,
	`record_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` text NOT NULL,
	`last_error` text,
	PRIMARY KEY(`feed_id`, `record_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `feed_holes_by_due` ON `feed_holes` (`feed_id`,`next_attempt_at`);--> statement-breakpoint
CREATE TABLE `feed_years` (
	`feed_id` text NOT NULL,
	`year` integer NOT NULL,
	`source_count` integer NOT NULL,
	`here_count` integer NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`feed_id`, `year`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `attack_patterns` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`likelihood` text,
	`severity` text
);
--> statement-breakpoint
CREATE TABLE `bulletin_vulns` (
	`bulletin_id` integer NOT NULL,
	`cveid` text NOT NULL,
	PRIMARY KEY(`bulletin_id`, `cveid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bulletin_vulns_by_cve` ON `bulletin_vulns` (`cveid`,`bulletin_id`);--> statement-breakpoint
CREATE TABLE `bulletins` (
	`id` integer PRIMARY KEY NOT NULL,
	`publicid` text NOT NULL,
	`source` text NOT NULL,
	`vendor` text NOT NULL,
	`title` text NOT NULL,
	`severity` text,
	`impact` text,
	`link` text NOT NULL,
	`published` text NOT NULL,
	`modified` text NOT NULL,
	`hash` text NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bulletins_by_publicid` ON `bulletins` (`source`,`publicid`);--> statement-breakpoint
CREATE INDEX `bulletins_by_published` ON `bulletins` (`published`,`id`);--> statement-breakpoint
CREATE INDEX `bulletins_by_vendor` ON `bulletins` (`vendor`,`id`);--> statement-breakpoint
CREATE TABLE `packages` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`vulns_count` integer DEFAULT 0 NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `packages_by_type` ON `packages` (`type`,`name`);--> statement-breakpoint
CREATE INDEX `packages_by_name` ON `packages` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `packages_by_updated` ON `packages` (`updated_at`,`id`);--> statement-breakpoint
CREATE TABLE `pattern_techniques` (
	`pattern_id` integer NOT NULL,
	`external_id` text NOT NULL,
	PRIMARY KEY(`pattern_id`, `external_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `techniques` (
	`external_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`domains` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `weakness_patterns` (
	`weakness_id` integer NOT NULL,
	`pattern_id` integer NOT NULL,
	PRIMARY KEY(`weakness_id`, `pattern_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `weaknesses` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`abstraction` text,
	`status` text,
	`likelihood` text,
	`related` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `affected_packages` (
	`vuln_id` integer NOT NULL,
	`package_id` integer NOT NULL,
	`source` text NOT NULL,
	`ranges` text NOT NULL,
	PRIMARY KEY(`vuln_id`, `package_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `epss_history` (
	`vuln_id` integer NOT NULL,
	`until` text NOT NULL,
	`epss` real NOT NULL,
	PRIMARY KEY(`vuln_id`, `until`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `exploits` (
	`id` integer PRIMARY KEY NOT NULL,
	`vuln_id` integer NOT NULL,
	`org_id` integer,
	`source` text NOT NULL,
	`key` text NOT NULL,
	`link` text NOT NULL,
	`notes` text DEFAULT '' NOT NULL,
	`trust_level` text NOT NULL,
	`tlp_level` text DEFAULT 'white' NOT NULL,
	`availability` text NOT NULL,
	`maturity` text NOT NULL,
	`type` text DEFAULT 'unknown' NOT NULL,
	`published` text,
	`modified` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `exploits_once` ON `exploits` (`vuln_id`,`key`) WHERE org_id is null;--> statement-breakpoint
CREATE INDEX `exploits_by_vuln` ON `exploits` (`vuln_id`,`org_id`);--> statement-breakpoint
CREATE INDEX `exploits_by_modified` ON `exploits` (`modified`,`id`);--> statement-breakpoint
CREATE INDEX `exploits_by_org` ON `exploits` (`org_id`,`modified`) WHERE org_id is not null;--> statement-breakpoint
CREATE TABLE `threats` (
	`id` integer PRIMARY KEY NOT NULL,
	`vuln_id` integer NOT NULL,
	`org_id` integer,
	`source` text NOT NULL,
	`key` text NOT NULL,
	`link` text NOT NULL,
	`notes` text DEFAULT '' NOT NULL,
	`trust_level` text NOT NULL,
	`tlp_level` text DEFAULT 'white' NOT NULL,
	`is_in_the_wild` integer DEFAULT false NOT NULL,
	`is_in_the_news` integer DEFAULT false NOT NULL,
	`published` text,
	`modified` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `threats_once` ON `threats` (`vuln_id`,`key`) WHERE org_id is null;--> statement-breakpoint
CREATE INDEX `threats_by_vuln` ON `threats` (`vuln_id`,`org_id`);--> statement-breakpoint
CREATE INDEX `threats_by_modified` ON `threats` (`modified`,`id`);--> statement-breakpoint
CREATE INDEX `threats_by_org` ON `threats` (`org_id`,`modified`) WHERE org_id is not null;--> statement-breakpoint
CREATE TABLE `vuln_aliases` (
	`alias` text NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`alias`, `vuln_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_aliases_by_vuln` ON `vuln_aliases` (`vuln_id`,`alias`);--> statement-breakpoint
CREATE TABLE `vuln_packages` (
	`vuln_id` integer NOT NULL,
	`package_id` integer NOT NULL,
	`since_seq` integer NOT NULL,
	`touched` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`vuln_id`, `package_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_packages_by_package` ON `vuln_packages` (`package_id`,`touched`,`vuln_id`);--> statement-breakpoint
CREATE TABLE `monitored_bulletins` (
	`org_id` integer NOT NULL,
	`bulletin_id` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `bulletin_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bulletin_id`) REFERENCES `bulletins`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `monitored_packages` (
	`org_id` integer NOT NULL,
	`package_id` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `package_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`package_id`) REFERENCES `packages`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `monitored_packages_by_package` ON `monitored_packages` (`package_id`,`org_id`);--> statement-breakpoint
DROP INDEX `vuln_products_by_product`;--> statement-breakpoint
DROP INDEX `vuln_products_by_vendor`;--> statement-breakpoint
ALTER TABLE `vuln_products` ADD `touched` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `vuln_products_by_product` ON `vuln_products` (`product_id`,`touched`,`vuln_id`,`vendor_id`);--> statement-breakpoint
CREATE INDEX `vuln_products_by_vendor` ON `vuln_products` (`vendor_id`,`touched`,`vuln_id`,`product_id`);--> statement-breakpoint
-- Bodies are packed bytes from now on; JSON of an older database is read as it is.
CREATE TABLE `__new_vuln_records` (
	`vuln_id` integer NOT NULL,
	`source` text NOT NULL,
	`hash` text NOT NULL,
	`modified` text,
	`body` blob NOT NULL,
	PRIMARY KEY(`vuln_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_vuln_records`("vuln_id", "source", "hash", "modified", "body") SELECT "vuln_id", "source", "hash", "modified", "body" FROM `vuln_records`;--> statement-breakpoint
DROP TABLE `vuln_records`;--> statement-breakpoint
ALTER TABLE `__new_vuln_records` RENAME TO `vuln_records`;--> statement-breakpoint
CREATE INDEX `vuln_records_by_source` ON `vuln_records` (`source`,`vuln_id`);--> statement-breakpoint
ALTER TABLE `vulns` ADD `org_id` integer;--> statement-breakpoint
ALTER TABLE `vulns` ADD `package_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `vulns` ADD `ssvc` text;--> statement-breakpoint
ALTER TABLE `vulns` ADD `exploit_metrics` text;--> statement-breakpoint
ALTER TABLE `vulns` ADD `exploit_published` text;--> statement-breakpoint
CREATE INDEX `vulns_by_exploit` ON `vulns` (`exploit_published`,`id`) WHERE exploit_published is not null;--> statement-breakpoint
CREATE INDEX `vulns_by_org` ON `vulns` (`org_id`,`id`) WHERE org_id is not null;
--> statement-breakpoint
UPDATE vuln_products SET touched = (SELECT CAST(strftime('%s', updated_at) AS INTEGER) FROM vulns WHERE id = vuln_id);
--> statement-breakpoint
CREATE VIRTUAL TABLE packages_fts USING fts5(name, type, content='packages', content_rowid='id', columnsize=0, tokenize="trigram");
--> statement-breakpoint
CREATE TRIGGER packages_fts_insert AFTER INSERT ON packages BEGIN
  INSERT INTO packages_fts(rowid, name, type) VALUES (new.id, new.name, new.type);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE bulletins_fts USING fts5(publicid, vendor, title, content='bulletins', content_rowid='id', columnsize=0, tokenize="unicode61 remove_diacritics 2");
--> statement-breakpoint
CREATE TRIGGER bulletins_fts_insert AFTER INSERT ON bulletins BEGIN
  INSERT INTO bulletins_fts(rowid, publicid, vendor, title) VALUES (new.id, new.publicid, new.vendor, new.title);
END;
--> statement-breakpoint
CREATE TRIGGER bulletins_fts_update AFTER UPDATE OF publicid, vendor, title ON bulletins WHEN old.publicid IS NOT new.publicid OR old.vendor IS NOT new.vendor OR old.title IS NOT new.title BEGIN
  INSERT INTO bulletins_fts(bulletins_fts, rowid, publicid, vendor, title) VALUES ('delete', old.id, old.publicid, old.vendor, old.title);
  INSERT INTO bulletins_fts(rowid, publicid, vendor, title) VALUES (new.id, new.publicid, new.vendor, new.title);
END;
--> statement-breakpoint
CREATE TRIGGER bulletins_fts_delete AFTER DELETE ON bulletins BEGIN
  INSERT INTO bulletins_fts(bulletins_fts, rowid, publicid, vendor, title) VALUES ('delete', old.id, old.publicid, old.vendor, old.title);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE exploits_fts USING fts5(link, notes, content='exploits', content_rowid='id', columnsize=0, tokenize="unicode61 remove_diacritics 2");
--> statement-breakpoint
CREATE TRIGGER exploits_fts_insert AFTER INSERT ON exploits BEGIN
  INSERT INTO exploits_fts(rowid, link, notes) VALUES (new.id, new.link, new.notes);
END;
--> statement-breakpoint
CREATE TRIGGER exploits_fts_update AFTER UPDATE OF link, notes ON exploits WHEN old.link IS NOT new.link OR old.notes IS NOT new.notes BEGIN
  INSERT INTO exploits_fts(exploits_fts, rowid, link, notes) VALUES ('delete', old.id, old.link, old.notes);
  INSERT INTO exploits_fts(rowid, link, notes) VALUES (new.id, new.link, new.notes);
END;
--> statement-breakpoint
CREATE TRIGGER exploits_fts_delete AFTER DELETE ON exploits BEGIN
  INSERT INTO exploits_fts(exploits_fts, rowid, link, notes) VALUES ('delete', old.id, old.link, old.notes);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE weaknesses_fts USING fts5(name, description, content='weaknesses', content_rowid='id', columnsize=0, tokenize="unicode61 remove_diacritics 2");
--> statement-breakpoint
CREATE TRIGGER weaknesses_fts_insert AFTER INSERT ON weaknesses BEGIN
  INSERT INTO weaknesses_fts(rowid, name, description) VALUES (new.id, new.name, new.description);
END;
--> statement-breakpoint
CREATE TRIGGER weaknesses_fts_update AFTER UPDATE OF name, description ON weaknesses WHEN old.name IS NOT new.name OR old.description IS NOT new.description BEGIN
  INSERT INTO weaknesses_fts(weaknesses_fts, rowid, name, description) VALUES ('delete', old.id, old.name, old.description);
  INSERT INTO weaknesses_fts(rowid, name, description) VALUES (new.id, new.name, new.description);
END;
--> statement-breakpoint
CREATE TRIGGER weaknesses_fts_delete AFTER DELETE ON weaknesses BEGIN
  INSERT INTO weaknesses_fts(weaknesses_fts, rowid, name, description) VALUES ('delete', old.id, old.name, old.description);
END;
