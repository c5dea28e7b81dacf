CREATE TABLE `alert_addresses` (
	`org_id` integer NOT NULL,
	`email` text NOT NULL,
	`confirmed_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `email`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alert_channels` (
	`org_id` integer NOT NULL,
	`channel` text NOT NULL,
	`secrets` text DEFAULT '' NOT NULL,
	`hints` text DEFAULT '{}' NOT NULL,
	`on_new` integer DEFAULT true NOT NULL,
	`on_update` integer DEFAULT true NOT NULL,
	`on_exploitable` integer DEFAULT false NOT NULL,
	`on_kev` integer DEFAULT false NOT NULL,
	`on_fix` integer DEFAULT false NOT NULL,
	`on_score` integer DEFAULT false NOT NULL,
	`score_value` real DEFAULT 80 NOT NULL,
	`on_cvss` integer DEFAULT false NOT NULL,
	`cvss_value` real DEFAULT 8 NOT NULL,
	`on_cvss3` integer DEFAULT false NOT NULL,
	`cvss3_value` real DEFAULT 8 NOT NULL,
	`min_score` integer,
	`groups` text DEFAULT '[]' NOT NULL,
	`verdicts` text DEFAULT '[]' NOT NULL,
	`daily_max` integer DEFAULT 20 NOT NULL,
	`last_success_at` text,
	`failing_since` text,
	`last_error` text,
	`disabled_at` text,
	PRIMARY KEY(`org_id`, `channel`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alert_feeds` (
	`org_id` integer NOT NULL,
	`view_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `view_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alert_proofs` (
	`org_id` integer NOT NULL,
	`day` text NOT NULL,
	`body` text NOT NULL,
	`made_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `day`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alert_settings` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`alerts_emails` text DEFAULT '[]' NOT NULL,
	`on_new` integer DEFAULT true NOT NULL,
	`on_update` integer DEFAULT true NOT NULL,
	`on_exploitable` integer DEFAULT false NOT NULL,
	`on_kev` integer DEFAULT false NOT NULL,
	`on_fix` integer DEFAULT false NOT NULL,
	`on_score` integer DEFAULT false NOT NULL,
	`score_value` real DEFAULT 80 NOT NULL,
	`on_cvss` integer DEFAULT false NOT NULL,
	`cvss_value` real DEFAULT 8 NOT NULL,
	`on_cvss3` integer DEFAULT false NOT NULL,
	`cvss3_value` real DEFAULT 8 NOT NULL,
	`min_score` integer,
	`groups` text DEFAULT '[]' NOT NULL,
	`verdicts` text DEFAULT '[]' NOT NULL,
	`daily_max` integer DEFAULT 20 NOT NULL,
	`daily_report` integer DEFAULT false NOT NULL,
	`weekly_report` integer DEFAULT false NOT NULL,
	`monthly_report` integer DEFAULT false NOT NULL,
	`time_zone` text DEFAULT '' NOT NULL,
	`report_hour` integer DEFAULT 8 NOT NULL,
	`quiet_report` integer DEFAULT false NOT NULL,
	`show_slack` integer DEFAULT true NOT NULL,
	`show_thehive` integer DEFAULT true NOT NULL,
	`show_misp` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`change_seq` integer NOT NULL,
	`last_seq` integer NOT NULL,
	`rule` text NOT NULL,
	`fired` integer NOT NULL,
	`score_from` real,
	`cvss_from` real,
	`cvss3_from` real,
	`suppressed` text,
	`tally` integer DEFAULT 0 NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`org_id`,`vuln_id`,`change_seq`);--> statement-breakpoint
CREATE INDEX `alerts_by_org` ON `alerts` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_by_change` ON `alerts` (`last_seq`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer NOT NULL,
	`alert_id` integer NOT NULL,
	`channel` text NOT NULL,
	`target` text NOT NULL,
	`rule` text NOT NULL,
	`told` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` text NOT NULL,
	`lease_until` text,
	`last_error` text,
	`answer` text,
	`sent_at` text,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`alert_id`) REFERENCES `alerts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`alert_id`,`channel`,`target`,`rule`);--> statement-breakpoint
CREATE INDEX `deliveries_by_due` ON `deliveries` (`status`,`next_attempt_at`);--> statement-breakpoint
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
CREATE TABLE `vuln_snoozes` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`kind` text NOT NULL,
	`until` text,
	`on_fix` integer NOT NULL,
	`on_kev` integer NOT NULL,
	`on_exploit` integer NOT NULL,
	`epss_above` real,
	`reason` text NOT NULL,
	`owner_id` integer,
	`user_id` integer,
	`created_at` text NOT NULL,
	`woken_at` text,
	`woken_by` text,
	PRIMARY KEY(`vuln_id`, `org_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`token_hash` text NOT NULL,
	`scope` text NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text,
	`last_used_at` text,
	`last_network` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_by_hash` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE TABLE `challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`data` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `known_places` (
	`user_id` integer NOT NULL,
	`network` text NOT NULL,
	`last_at` text NOT NULL,
	PRIMARY KEY(`user_id`, `network`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `links` (
	`id` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`kind` text NOT NULL,
	`email` text NOT NULL,
	`user_id` integer,
	`org_id` integer,
	`data` text DEFAULT '{}' NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_by_token` ON `links` (`token_hash`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` integer PRIMARY KEY NOT NULL,
	`credential_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text DEFAULT '[]' NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_by_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_by_user` ON `passkeys` (`user_id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	`used_at` text,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
	`acting_org_id` integer,
	`sso_org_id` integer,
	`user_agent` text NOT NULL,
	`ip` text NOT NULL,
	`created_at` text NOT NULL,
	`last_seen` text NOT NULL,
	`expires_at` text NOT NULL,
	`revoked_at` text,
	`revoked_why` text,
	`proved_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `throttles` (
	`key` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`blocked_until` text NOT NULL,
	`last_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`email` text NOT NULL,
	`email_verified_at` text,
	`first_name` text DEFAULT '' NOT NULL,
	`last_name` text DEFAULT '' NOT NULL,
	`password_hash` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_admin` integer DEFAULT false NOT NULL,
	`last_login` text,
	`created_at` text NOT NULL,
	`totp_secret` text,
	`totp_last_step` integer,
	`mfa_enabled` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_username` ON `users` (lower("username"));--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_email` ON `users` (lower("email"));--> statement-breakpoint
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
CREATE INDEX `bulletins_by_published` ON `bulletins` (`published`);--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
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
	`purpose` text DEFAULT 'exploit' NOT NULL,
	`published` text,
	`modified` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `exploits_once` ON `exploits` (`vuln_id`,`key`,coalesce(org_id, 0));--> statement-breakpoint
CREATE INDEX `exploits_by_modified` ON `exploits` (`modified`);--> statement-breakpoint
CREATE INDEX `exploits_by_org` ON `exploits` (`org_id`,`modified`) WHERE org_id IS NOT NULL;--> statement-breakpoint
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
CREATE UNIQUE INDEX `threats_once` ON `threats` (`vuln_id`,`key`,coalesce(org_id, 0));--> statement-breakpoint
CREATE INDEX `threats_by_modified` ON `threats` (`modified`);--> statement-breakpoint
CREATE TABLE `feed_holes` (
	`feed_id` text NOT NULL,
	`record_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` text NOT NULL,
	`last_error` text,
	PRIMARY KEY(`feed_id`, `record_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `feed_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`feed_id` text NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text,
	`steps` integer DEFAULT 0 NOT NULL,
	`records` integer DEFAULT 0 NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`rows_written` integer DEFAULT 0 NOT NULL,
	`total` integer,
	`error` text,
	FOREIGN KEY (`feed_id`) REFERENCES `feeds`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
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
CREATE TABLE `feed_years` (
	`feed_id` text NOT NULL,
	`year` integer NOT NULL,
	`source_count` integer NOT NULL,
	`here_count` integer NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`feed_id`, `year`)
) WITHOUT ROWID;
--> statement-breakpoint
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
CREATE TABLE `inventories` (
	`org_id` integer NOT NULL,
	`id` integer NOT NULL,
	`name` text NOT NULL,
	`format` text NOT NULL,
	`subject` text,
	`components_count` integer NOT NULL,
	`unmatched_count` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`revision` integer NOT NULL,
	`changes` integer NOT NULL,
	PRIMARY KEY(`org_id`, `id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_components` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`id` integer NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`version` text,
	`purl` text,
	`cpe` text,
	`scope` text NOT NULL,
	`licence` text,
	`path` text NOT NULL,
	`is_matched` integer NOT NULL,
	`judged_count` integer NOT NULL,
	`unjudged_count` integer NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_days` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`day` text NOT NULL,
	`critical` integer NOT NULL,
	`high` integer NOT NULL,
	`medium` integer NOT NULL,
	`low` integer NOT NULL,
	`unscored` integer NOT NULL,
	`kev` integer NOT NULL,
	`unknown` integer NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `day`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_decisions` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`author` text NOT NULL,
	`status` text NOT NULL,
	`justification` text,
	`note` text,
	`fix` text,
	`owner` text,
	`expires_at` text,
	`decided_at` text NOT NULL,
	`user_id` integer,
	`dismissed_at` text,
	`dismissed_by` integer,
	PRIMARY KEY(`org_id`, `inventory_id`, `vuln_id`, `component_id`, `author`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`dismissed_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_due` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `component_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_findings` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`status` text NOT NULL,
	`confidence` text NOT NULL,
	`source` text,
	`range` text,
	`fixed_in` text,
	`first_unlisted` text,
	`is_disputed` integer NOT NULL,
	`found_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `vuln_id`, `component_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_lists` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`list` text NOT NULL,
	`made_of` text NOT NULL,
	`count` integer NOT NULL,
	`first` text NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `list`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_matches` (
	`kind` text NOT NULL,
	`first` text NOT NULL,
	`name` text NOT NULL,
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `first`, `name`, `org_id`, `inventory_id`, `component_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `inventory_vulns` (
	`vuln_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`since_seq` integer NOT NULL,
	`verdict` integer NOT NULL,
	PRIMARY KEY(`vuln_id`, `org_id`, `inventory_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `clock_jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`every_s` integer NOT NULL,
	`last_success` text,
	`failed_at` text,
	`last_error` text
);
--> statement-breakpoint
CREATE TABLE `dead_messages` (
	`id` integer PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `epss_scores` (
	`cveid` text PRIMARY KEY NOT NULL,
	`epss` real NOT NULL,
	`percentile` real NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `packages` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`vulns_count` integer DEFAULT 0 NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `packages_by_type` ON `packages` (`type`,`name`);--> statement-breakpoint
CREATE INDEX `packages_by_name` ON `packages` (`name`);--> statement-breakpoint
CREATE TABLE `product_versions` (
	`product_id` integer PRIMARY KEY NOT NULL,
	`made_of` text NOT NULL,
	`versions_count` integer NOT NULL,
	`versions` text NOT NULL
);
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
CREATE INDEX `products_by_name` ON `products` (`name`);--> statement-breakpoint
CREATE INDEX `products_by_vendor_name` ON `products` (`vendor`,`name`);--> statement-breakpoint
CREATE INDEX `products_by_vulns` ON `products` (`vulns_count`);--> statement-breakpoint
CREATE TABLE `vendors` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`products_count` integer DEFAULT 0 NOT NULL,
	`vulns_count` integer DEFAULT 0 NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `vendors_by_name` ON `vendors` (`name`);--> statement-breakpoint
CREATE INDEX `vendors_by_vulns` ON `vendors` (`vulns_count`);--> statement-breakpoint
CREATE TABLE `data_keys` (
	`name` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `affected` (
	`vuln_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`source` text NOT NULL,
	`ranges` text NOT NULL,
	PRIMARY KEY(`vuln_id`, `product_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `affected_packages` (
	`vuln_id` integer NOT NULL,
	`package_id` integer NOT NULL,
	`source` text NOT NULL,
	`ranges` text NOT NULL,
	PRIMARY KEY(`vuln_id`, `package_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `vuln_aliases` (
	`alias` text NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`alias`, `vuln_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `vuln_packages` (
	`vuln_id` integer NOT NULL,
	`package_id` integer NOT NULL,
	`since_seq` integer NOT NULL,
	`touched` integer DEFAULT 0 NOT NULL,
	`org_id` integer,
	PRIMARY KEY(`vuln_id`, `package_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_packages_by_package` ON `vuln_packages` (`package_id`,`org_id`,`touched`,`vuln_id`);--> statement-breakpoint
CREATE TABLE `vuln_products` (
	`vuln_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`vendor_id` integer NOT NULL,
	`since_seq` integer NOT NULL,
	`touched` integer DEFAULT 0 NOT NULL,
	`org_id` integer,
	PRIMARY KEY(`vuln_id`, `product_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_products_by_product` ON `vuln_products` (`product_id`,`org_id`,`touched`,`vuln_id`,`vendor_id`);--> statement-breakpoint
CREATE INDEX `vuln_products_by_vendor` ON `vuln_products` (`vendor_id`,`org_id`,`touched`,`vuln_id`,`product_id`);--> statement-breakpoint
CREATE TABLE `mail_allowances` (
	`key` text PRIMARY KEY NOT NULL,
	`day` text NOT NULL,
	`used` integer NOT NULL,
	`last_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mails` (
	`id` integer PRIMARY KEY NOT NULL,
	`to` text NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`html` text NOT NULL,
	`headers` text DEFAULT '{}' NOT NULL,
	`text` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` text NOT NULL,
	`lease_until` text,
	`last_error` text,
	`created_at` text NOT NULL,
	`sent_at` text
);
--> statement-breakpoint
CREATE INDEX `mails_by_due` ON `mails` (`status`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `mails_by_recipient` ON `mails` (`to`,`kind`);--> statement-breakpoint
CREATE TABLE `audit_heads` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`pruned_seq` integer DEFAULT 0 NOT NULL,
	`pruned_hash` text DEFAULT '' NOT NULL,
	`mac` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` text NOT NULL,
	`actor_id` integer,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`detail` text NOT NULL,
	`ip` text NOT NULL,
	`prev_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_by_org` ON `audit_log` (`org_id`,`seq`);--> statement-breakpoint
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
	`created_at` text NOT NULL,
	`owner_id` integer,
	`trial_ends_at` text,
	`api_rate` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_by_slug` ON `orgs` (`slug`);--> statement-breakpoint
CREATE TABLE `sso_domains` (
	`org_id` integer NOT NULL,
	`domain` text NOT NULL,
	`proof` text NOT NULL,
	`proved_at` text,
	`proved_by` text,
	PRIMARY KEY(`org_id`, `domain`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sso_domains_proved` ON `sso_domains` (`domain`) WHERE proved_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sso_identities` (
	`org_id` integer NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `subject`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sso_providers` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` text NOT NULL,
	`is_enabled` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `newsletters` (
	`day` text PRIMARY KEY NOT NULL,
	`facts` text NOT NULL,
	`last_reader` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `report_dues` (
	`due_at` text NOT NULL,
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`lease_until` text,
	PRIMARY KEY(`due_at`, `org_id`, `kind`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reports` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`period` text NOT NULL,
	`ends_at` text NOT NULL,
	`last_seq` integer NOT NULL,
	`facts` text NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `period`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
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
CREATE TABLE `vuln_statuses` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`status` text NOT NULL,
	`updated_at` text NOT NULL,
	`user_id` integer,
	`justification` text,
	`note` text,
	`owner` text,
	`expires_at` text,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_statuses_by_status` ON `vuln_statuses` (`org_id`,`status`,`vuln_id`);--> statement-breakpoint
CREATE TABLE `quotas` (
	`org_id` integer NOT NULL,
	`name` text NOT NULL,
	`day` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`org_id`, `name`, `day`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `vuln_assignees` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `vuln_seen` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
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
CREATE UNIQUE INDEX `saved_views_by_name` ON `saved_views` (`org_id`,`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `epss_history` (
	`vuln_id` integer NOT NULL,
	`until` text NOT NULL,
	`epss` real NOT NULL,
	PRIMARY KEY(`vuln_id`, `until`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `epss_rises` (
	`day` text PRIMARY KEY NOT NULL,
	`rises` text NOT NULL
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
CREATE TABLE `vuln_records` (
	`vuln_id` integer NOT NULL,
	`source` text NOT NULL,
	`hash` text NOT NULL,
	`modified` integer,
	`body` blob NOT NULL,
	PRIMARY KEY(`vuln_id`, `source`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vuln_records_by_source` ON `vuln_records` (`source`,`vuln_id`) WHERE source NOT IN ('cve', 'nvd');--> statement-breakpoint
CREATE TABLE `vulns` (
	`id` integer PRIMARY KEY NOT NULL,
	`org_id` integer,
	`cveid` text,
	`state` text NOT NULL,
	`summary` text NOT NULL,
	`assigner` text,
	`published` integer,
	`modified` integer,
	`cvss` real,
	`cvss_vector` text,
	`cvss3` real,
	`cvss3_vector` text,
	`cvss4` real,
	`cvss4_vector` text,
	`access` text,
	`impact` text,
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
	`package_count` integer DEFAULT 0 NOT NULL,
	`ssvc` text,
	`exploit_metrics` text,
	`exploit_published` text,
	`top_products` text DEFAULT '[]' NOT NULL,
	`keywords` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `vulns_by_cveid` ON `vulns` (`cveid`);--> statement-breakpoint
CREATE INDEX `vulns_by_updated` ON `vulns` (`updated_at`,`id`,`score`,`cvss3`,`exploit_count`,`is_exploitable`,`is_confirmed`,`is_in_the_news`,`is_in_the_wild`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_score` ON `vulns` (`score`,`updated_at`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_rank` ON `vulns` (`score`,(kev_added_at IS NOT NULL),`epss`,`published`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_cvss` ON `vulns` (`cvss`,`updated_at`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3` ON `vulns` (`cvss3`,`updated_at`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_cvss4` ON `vulns` (`cvss4`,`updated_at`) WHERE cvss4 IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_exploitable` ON `vulns` (`updated_at`) WHERE is_exploitable = 1 AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_published` ON `vulns` (`published`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_modified` ON `vulns` (`modified`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_epss` ON `vulns` (`epss`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_exploit_count` ON `vulns` (`exploit_count`) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_summary` ON `vulns` (substr(summary, 1, 4)) WHERE state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_cwe` ON `vulns` (`cwe_id`) WHERE cwe_id IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_access` ON `vulns` (`access`) WHERE access IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_impact` ON `vulns` (`impact`) WHERE impact IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_confirmed` ON `vulns` (`is_confirmed`) WHERE is_confirmed = 1 AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector` ON `vulns` (`cvss_vector`) WHERE cvss_vector IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector` ON `vulns` (`cvss3_vector`) WHERE cvss3_vector IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_news` ON `vulns` (`is_in_the_news`) WHERE is_in_the_news = 1 AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_wild` ON `vulns` ((kev_added_at IS NOT NULL),`updated_at`) WHERE is_in_the_wild = 1 AND state <> 'rejected' AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX `vulns_by_org` ON `vulns` (`org_id`) WHERE org_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `awaited` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`groups` text,
	`versions` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `value`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `awaited_names` (
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`org_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `value`, `org_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `item_worst` (
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	`made_of` text NOT NULL,
	`worst` text NOT NULL,
	PRIMARY KEY(`kind`, `item_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `judged_versions` (
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	`version` text NOT NULL,
	PRIMARY KEY(`kind`, `item_id`, `version`)
) WITHOUT ROWID;
--> statement-breakpoint
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
	`groups` text,
	`versions` text,
	PRIMARY KEY(`org_id`, `package_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`package_id`) REFERENCES `packages`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `monitored_packages_by_package` ON `monitored_packages` (`package_id`,`org_id`);--> statement-breakpoint
CREATE TABLE `monitored_products` (
	`org_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`is_monitored` integer NOT NULL,
	`created_at` text NOT NULL,
	`groups` text,
	`versions` text,
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
	`groups` text,
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
	`groups` text,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `vulns`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `monitored_vulns_by_vuln` ON `monitored_vulns` (`vuln_id`,`org_id`);--> statement-breakpoint
CREATE TABLE `org_stats` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`made_of` text NOT NULL,
	`stats` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `org_vulns` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`touched` integer DEFAULT 0 NOT NULL,
	`verdict` integer,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `org_vulns_by_vuln` ON `org_vulns` (`vuln_id`,`org_id`);--> statement-breakpoint
CREATE INDEX `org_vulns_by_touched` ON `org_vulns` (`org_id`,`touched`);--> statement-breakpoint
CREATE TABLE `version_verdicts` (
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	`version` text NOT NULL,
	`vuln_id` integer NOT NULL,
	`verdict` integer NOT NULL,
	`since_seq` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`kind`, `item_id`, `version`, `vuln_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `watch_groups` (
	`org_id` integer NOT NULL,
	`label` text NOT NULL,
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `label`, `kind`, `item_id`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
