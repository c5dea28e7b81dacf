CREATE TABLE `alert_settings` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`alerts_emails` text DEFAULT '[]' NOT NULL,
	`enable_email_alert_new_vuln` integer DEFAULT true NOT NULL,
	`enable_email_alert_update_vuln` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`change_seq` integer NOT NULL,
	`rule` text NOT NULL,
	`suppressed` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`change_seq`) REFERENCES `vuln_changes`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`org_id`,`vuln_id`,`change_seq`,`rule`);--> statement-breakpoint
CREATE INDEX `alerts_by_org` ON `alerts` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_by_change` ON `alerts` (`change_seq`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`alert_id` integer NOT NULL,
	`channel` text NOT NULL,
	`target` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` text NOT NULL,
	`lease_until` text,
	`last_error` text,
	`sent_at` text,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`alert_id`) REFERENCES `alerts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`alert_id`,`channel`,`target`);--> statement-breakpoint
CREATE INDEX `deliveries_by_due` ON `deliveries` (`status`,`next_attempt_at`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`used_at` text,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_session` ON `refresh_tokens` (`session_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`user_agent` text NOT NULL,
	`ip` text NOT NULL,
	`created_at` text NOT NULL,
	`last_seen` text NOT NULL,
	`expires_at` text NOT NULL,
	`revoked_at` text,
	`revoked_why` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`email` text NOT NULL,
	`first_name` text DEFAULT '' NOT NULL,
	`last_name` text DEFAULT '' NOT NULL,
	`password_hash` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_admin` integer DEFAULT false NOT NULL,
	`last_login` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_username` ON `users` (lower("username"));--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_email` ON `users` (lower("email"));--> statement-breakpoint
CREATE TABLE `feed_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`feed_id` text NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text,
	`steps` integer DEFAULT 0 NOT NULL,
	`records` integer DEFAULT 0 NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`total` integer,
	`error` text,
	FOREIGN KEY (`feed_id`) REFERENCES `feeds`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `feed_runs_by_feed` ON `feed_runs` (`feed_id`,`id`);--> statement-breakpoint
CREATE TABLE `feed_skips` (
	`id` integer PRIMARY KEY NOT NULL,
	`feed_id` text NOT NULL,
	`run_id` integer NOT NULL,
	`record_id` text NOT NULL,
	`reason` text NOT NULL,
	`body` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`feed_id`) REFERENCES `feeds`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `feed_skips_by_record` ON `feed_skips` (`feed_id`,`record_id`);--> statement-breakpoint
CREATE TABLE `feeds` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`cursor` text,
	`run_id` integer,
	`step` integer DEFAULT 0 NOT NULL,
	`claim` integer DEFAULT 0 NOT NULL,
	`lease_until` text,
	`due_at` text,
	`next_run_at` text NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_success` text,
	`last_error` text
);
--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `epss_scores` (
	`cveid` text PRIMARY KEY NOT NULL,
	`epss` real NOT NULL,
	`percentile` real NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `products` (
	`id` integer PRIMARY KEY NOT NULL,
	`vendor_id` integer NOT NULL,
	`vendor` text NOT NULL,
	`name` text NOT NULL,
	`vulns_count` integer DEFAULT 0 NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`vendor_id`) REFERENCES `vendors`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `products_by_vendor` ON `products` (`vendor_id`,`name`);--> statement-breakpoint
CREATE INDEX `products_by_name` ON `products` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `products_by_vendor_name` ON `products` (`vendor`,`name`);--> statement-breakpoint
CREATE INDEX `products_by_updated` ON `products` (`updated_at`,`id`);--> statement-breakpoint
CREATE TABLE `vendors` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`products_count` integer DEFAULT 0 NOT NULL,
	`vulns_count` integer DEFAULT 0 NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `vendors_by_name` ON `vendors` (`name`);--> statement-breakpoint
CREATE INDEX `vendors_by_updated` ON `vendors` (`updated_at`,`id`);--> statement-breakpoint
CREATE TABLE `members` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`is_admin` integer DEFAULT false NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`manage_organization` integer DEFAULT false NOT NULL,
	`manage_alert_email` integer DEFAULT false NOT NULL,
	`manage_metadata` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `members_by_user` ON `members` (`user_id`,`org_id`);--> statement-breakpoint
CREATE TABLE `orgs` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_by_slug` ON `orgs` (`slug`);--> statement-breakpoint
CREATE TABLE `affected` (
	`vuln_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`source` text NOT NULL,
	`ranges` text NOT NULL,
	PRIMARY KEY(`vuln_id`, `product_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `vuln_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`vuln_id` integer NOT NULL,
	`at` text NOT NULL,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`is_backfill` integer DEFAULT false NOT NULL,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `vuln_changes_by_vuln` ON `vuln_changes` (`vuln_id`,`seq`);--> statement-breakpoint
CREATE TABLE `vuln_products` (
	`vuln_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`vendor_id` integer NOT NULL,
	`since_seq` integer NOT NULL,
	PRIMARY KEY(`vuln_id`, `product_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_products_by_product` ON `vuln_products` (`product_id`,`vuln_id`,`vendor_id`);--> statement-breakpoint
CREATE INDEX `vuln_products_by_vendor` ON `vuln_products` (`vendor_id`,`vuln_id`,`product_id`);--> statement-breakpoint
CREATE TABLE `vuln_records` (
	`vuln_id` integer NOT NULL,
	`source` text NOT NULL,
	`hash` text NOT NULL,
	`modified` text,
	`body` text NOT NULL,
	PRIMARY KEY(`vuln_id`, `source`)
);
--> statement-breakpoint
CREATE TABLE `vulns` (
	`id` integer PRIMARY KEY NOT NULL,
	`cveid` text,
	`state` text NOT NULL,
	`summary` text NOT NULL,
	`assigner` text,
	`published` text,
	`modified` text,
	`cvss` real,
	`cvss_vector` text,
	`cvss3` real,
	`cvss3_vector` text,
	`cvss4` real,
	`cvss4_vector` text,
	`cwe_id` text,
	`score` integer,
	`epss` real,
	`epss_percentile` real,
	`kev_added_at` text,
	`kev_due_at` text,
	`kev_ransomware` integer,
	`is_exploitable` integer DEFAULT false NOT NULL,
	`is_confirmed` integer DEFAULT false NOT NULL,
	`is_in_the_news` integer DEFAULT false NOT NULL,
	`is_in_the_wild` integer DEFAULT false NOT NULL,
	`exploit_count` integer DEFAULT 0 NOT NULL,
	`threat_activity_count` integer DEFAULT 0 NOT NULL,
	`cpe_count` integer DEFAULT 0 NOT NULL,
	`product_count` integer DEFAULT 0 NOT NULL,
	`top_products` text DEFAULT '[]' NOT NULL,
	`keywords` text DEFAULT '' NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `vulns_by_cveid` ON `vulns` (`cveid`);--> statement-breakpoint
CREATE INDEX `vulns_by_updated` ON `vulns` (`updated_at`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_published` ON `vulns` (`published`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_score` ON `vulns` (`score`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_cvss` ON `vulns` (`cvss`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3` ON `vulns` (`cvss3`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_epss` ON `vulns` (`epss`,`id`) WHERE state <> 'rejected';--> statement-breakpoint
CREATE INDEX `vulns_by_kev` ON `vulns` (`kev_added_at`,`id`) WHERE kev_added_at is not null;--> statement-breakpoint
CREATE TABLE `monitored_products` (
	`org_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`is_monitored` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `product_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `monitored_products_by_product` ON `monitored_products` (`product_id`,`org_id`,`is_monitored`);--> statement-breakpoint
CREATE TABLE `monitored_vendors` (
	`org_id` integer NOT NULL,
	`vendor_id` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `vendor_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vendor_id`) REFERENCES `vendors`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `monitored_vendors_by_vendor` ON `monitored_vendors` (`vendor_id`,`org_id`);--> statement-breakpoint
CREATE TABLE `monitored_vulns` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `monitored_vulns_by_vuln` ON `monitored_vulns` (`vuln_id`,`org_id`);