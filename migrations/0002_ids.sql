-- Ids that tokens, links, mails and screens outside hold are never given again: AUTOINCREMENT, which SQLite gives only to a new table.
-- D1 runs a migration with foreign keys on, and dropping a table deletes what refers to it: so every table that refers to a renewed
-- one is renewed with it, old children go before their parents, and the renamed tables take the references along.
CREATE TABLE `new_users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_users`(`id`, `username`, `email`, `email_verified_at`, `first_name`, `last_name`, `password_hash`, `is_active`, `is_admin`, `last_login`, `created_at`, `totp_secret`, `totp_last_step`, `mfa_enabled`) SELECT `id`, `username`, `email`, `email_verified_at`, `first_name`, `last_name`, `password_hash`, `is_active`, `is_admin`, `last_login`, `created_at`, `totp_secret`, `totp_last_step`, `mfa_enabled` FROM `users`;
--> statement-breakpoint
CREATE TABLE `new_orgs` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`created_at` text NOT NULL,
	`owner_id` integer,
	`trial_ends_at` text,
	`api_rate` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `new_orgs`(`id`, `name`, `slug`, `is_active`, `created_at`, `owner_id`, `trial_ends_at`, `api_rate`) SELECT `id`, `name`, `slug`, `is_active`, `created_at`, `owner_id`, `trial_ends_at`, `api_rate` FROM `orgs`;
--> statement-breakpoint
CREATE TABLE `new_alert_addresses` (
	`org_id` integer NOT NULL,
	`email` text NOT NULL,
	`confirmed_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `email`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_alert_addresses`(`org_id`, `email`, `confirmed_at`) SELECT `org_id`, `email`, `confirmed_at` FROM `alert_addresses`;
--> statement-breakpoint
CREATE TABLE `new_alert_channels` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_alert_channels`(`org_id`, `channel`, `secrets`, `hints`, `on_new`, `on_update`, `on_exploitable`, `on_kev`, `on_fix`, `on_score`, `score_value`, `on_cvss`, `cvss_value`, `on_cvss3`, `cvss3_value`, `min_score`, `groups`, `verdicts`, `daily_max`, `last_success_at`, `failing_since`, `last_error`, `disabled_at`) SELECT `org_id`, `channel`, `secrets`, `hints`, `on_new`, `on_update`, `on_exploitable`, `on_kev`, `on_fix`, `on_score`, `score_value`, `on_cvss`, `cvss_value`, `on_cvss3`, `cvss3_value`, `min_score`, `groups`, `verdicts`, `daily_max`, `last_success_at`, `failing_since`, `last_error`, `disabled_at` FROM `alert_channels`;
--> statement-breakpoint
CREATE TABLE `new_alert_feeds` (
	`org_id` integer NOT NULL,
	`view_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `view_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_alert_feeds`(`org_id`, `view_id`, `token_hash`, `created_at`, `user_id`) SELECT `org_id`, `view_id`, `token_hash`, `created_at`, `user_id` FROM `alert_feeds`;
--> statement-breakpoint
CREATE TABLE `new_alert_proofs` (
	`org_id` integer NOT NULL,
	`day` text NOT NULL,
	`body` text NOT NULL,
	`made_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `day`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_alert_proofs`(`org_id`, `day`, `body`, `made_at`) SELECT `org_id`, `day`, `body`, `made_at` FROM `alert_proofs`;
--> statement-breakpoint
CREATE TABLE `new_alert_settings` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_alert_settings`(`org_id`, `alerts_emails`, `on_new`, `on_update`, `on_exploitable`, `on_kev`, `on_fix`, `on_score`, `score_value`, `on_cvss`, `cvss_value`, `on_cvss3`, `cvss3_value`, `min_score`, `groups`, `verdicts`, `daily_max`, `daily_report`, `weekly_report`, `monthly_report`, `time_zone`, `report_hour`, `quiet_report`, `show_slack`, `show_thehive`, `show_misp`) SELECT `org_id`, `alerts_emails`, `on_new`, `on_update`, `on_exploitable`, `on_kev`, `on_fix`, `on_score`, `score_value`, `on_cvss`, `cvss_value`, `on_cvss3`, `cvss3_value`, `min_score`, `groups`, `verdicts`, `daily_max`, `daily_report`, `weekly_report`, `monthly_report`, `time_zone`, `report_hour`, `quiet_report`, `show_slack`, `show_thehive`, `show_misp` FROM `alert_settings`;
--> statement-breakpoint
CREATE TABLE `new_vulns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_vulns`(`id`, `org_id`, `cveid`, `state`, `summary`, `assigner`, `published`, `modified`, `cvss`, `cvss_vector`, `cvss3`, `cvss3_vector`, `cvss4`, `cvss4_vector`, `access`, `impact`, `cwe_id`, `score`, `epss`, `epss_percentile`, `kev_added_at`, `kev_due_at`, `kev_ransomware`, `is_exploitable`, `is_confirmed`, `is_in_the_news`, `is_in_the_wild`, `exploit_count`, `threat_activity_count`, `cpe_count`, `product_count`, `package_count`, `ssvc`, `exploit_metrics`, `exploit_published`, `top_products`, `keywords`, `created_at`, `updated_at`) SELECT `id`, `org_id`, `cveid`, `state`, `summary`, `assigner`, `published`, `modified`, `cvss`, `cvss_vector`, `cvss3`, `cvss3_vector`, `cvss4`, `cvss4_vector`, `access`, `impact`, `cwe_id`, `score`, `epss`, `epss_percentile`, `kev_added_at`, `kev_due_at`, `kev_ransomware`, `is_exploitable`, `is_confirmed`, `is_in_the_news`, `is_in_the_wild`, `exploit_count`, `threat_activity_count`, `cpe_count`, `product_count`, `package_count`, `ssvc`, `exploit_metrics`, `exploit_published`, `top_products`, `keywords`, `created_at`, `updated_at` FROM `vulns`;
--> statement-breakpoint
CREATE TABLE `new_alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `new_alerts`(`id`, `org_id`, `vuln_id`, `change_seq`, `last_seq`, `rule`, `fired`, `score_from`, `cvss_from`, `cvss3_from`, `suppressed`, `tally`, `created_at`, `updated_at`) SELECT `id`, `org_id`, `vuln_id`, `change_seq`, `last_seq`, `rule`, `fired`, `score_from`, `cvss_from`, `cvss3_from`, `suppressed`, `tally`, `created_at`, `updated_at` FROM `alerts`;
--> statement-breakpoint
CREATE TABLE `new_api_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_api_tokens`(`id`, `user_id`, `org_id`, `name`, `prefix`, `token_hash`, `scope`, `is_default`, `created_at`, `expires_at`, `last_used_at`, `last_network`) SELECT `id`, `user_id`, `org_id`, `name`, `prefix`, `token_hash`, `scope`, `is_default`, `created_at`, `expires_at`, `last_used_at`, `last_network` FROM `api_tokens`;
--> statement-breakpoint
CREATE TABLE `new_awaited` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`groups` text,
	`versions` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `value`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_awaited`(`org_id`, `kind`, `value`, `groups`, `versions`, `created_at`) SELECT `org_id`, `kind`, `value`, `groups`, `versions`, `created_at` FROM `awaited`;
--> statement-breakpoint
CREATE TABLE `new_awaited_names` (
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`org_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `value`, `org_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_awaited_names`(`kind`, `value`, `org_id`) SELECT `kind`, `value`, `org_id` FROM `awaited_names`;
--> statement-breakpoint
CREATE TABLE `new_bulletins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_bulletins`(`id`, `publicid`, `source`, `vendor`, `title`, `severity`, `impact`, `link`, `published`, `modified`, `hash`, `body`) SELECT `id`, `publicid`, `source`, `vendor`, `title`, `severity`, `impact`, `link`, `published`, `modified`, `hash`, `body` FROM `bulletins`;
--> statement-breakpoint
CREATE TABLE `new_challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`data` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_challenges`(`id`, `kind`, `user_id`, `data`, `tries`, `expires_at`) SELECT `id`, `kind`, `user_id`, `data`, `tries`, `expires_at` FROM `challenges`;
--> statement-breakpoint
CREATE TABLE `new_comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`user_id` integer,
	`body` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text,
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `new_comments`(`id`, `org_id`, `vuln_id`, `user_id`, `body`, `created_at`, `updated_at`) SELECT `id`, `org_id`, `vuln_id`, `user_id`, `body`, `created_at`, `updated_at` FROM `comments`;
--> statement-breakpoint
CREATE TABLE `new_dead_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`at` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `new_dead_messages`(`id`, `queue`, `body`, `at`) SELECT `id`, `queue`, `body`, `at` FROM `dead_messages`;
--> statement-breakpoint
CREATE TABLE `new_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`alert_id`) REFERENCES `new_alerts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_deliveries`(`id`, `org_id`, `alert_id`, `channel`, `target`, `rule`, `told`, `status`, `attempts`, `next_attempt_at`, `lease_until`, `last_error`, `answer`, `sent_at`) SELECT `id`, `org_id`, `alert_id`, `channel`, `target`, `rule`, `told`, `status`, `attempts`, `next_attempt_at`, `lease_until`, `last_error`, `answer`, `sent_at` FROM `deliveries`;
--> statement-breakpoint
CREATE TABLE `new_exploits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_exploits`(`id`, `vuln_id`, `org_id`, `source`, `key`, `link`, `notes`, `trust_level`, `tlp_level`, `availability`, `maturity`, `type`, `purpose`, `published`, `modified`) SELECT `id`, `vuln_id`, `org_id`, `source`, `key`, `link`, `notes`, `trust_level`, `tlp_level`, `availability`, `maturity`, `type`, `purpose`, `published`, `modified` FROM `exploits`;
--> statement-breakpoint
CREATE TABLE `new_feed_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_feed_runs`(`id`, `feed_id`, `started_at`, `finished_at`, `steps`, `records`, `changed`, `skipped`, `rows_written`, `total`, `error`) SELECT `id`, `feed_id`, `started_at`, `finished_at`, `steps`, `records`, `changed`, `skipped`, `rows_written`, `total`, `error` FROM `feed_runs`;
--> statement-breakpoint
CREATE TABLE `new_feed_skips` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`feed_id` text NOT NULL,
	`run_id` integer NOT NULL,
	`record_id` text NOT NULL,
	`reason` text NOT NULL,
	`body` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`feed_id`) REFERENCES `feeds`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `new_feed_skips`(`id`, `feed_id`, `run_id`, `record_id`, `reason`, `body`, `at`) SELECT `id`, `feed_id`, `run_id`, `record_id`, `reason`, `body`, `at` FROM `feed_skips`;
--> statement-breakpoint
CREATE TABLE `new_inventories` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventories`(`org_id`, `id`, `name`, `format`, `subject`, `components_count`, `unmatched_count`, `created_at`, `updated_at`, `revision`, `changes`) SELECT `org_id`, `id`, `name`, `format`, `subject`, `components_count`, `unmatched_count`, `created_at`, `updated_at`, `revision`, `changes` FROM `inventories`;
--> statement-breakpoint
CREATE TABLE `new_inventory_components` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_components`(`org_id`, `inventory_id`, `id`, `key`, `name`, `version`, `purl`, `cpe`, `scope`, `licence`, `path`, `is_matched`, `judged_count`, `unjudged_count`) SELECT `org_id`, `inventory_id`, `id`, `key`, `name`, `version`, `purl`, `cpe`, `scope`, `licence`, `path`, `is_matched`, `judged_count`, `unjudged_count` FROM `inventory_components`;
--> statement-breakpoint
CREATE TABLE `new_inventory_days` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_days`(`org_id`, `inventory_id`, `day`, `critical`, `high`, `medium`, `low`, `unscored`, `kev`, `unknown`) SELECT `org_id`, `inventory_id`, `day`, `critical`, `high`, `medium`, `low`, `unscored`, `kev`, `unknown` FROM `inventory_days`;
--> statement-breakpoint
CREATE TABLE `new_inventory_decisions` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`dismissed_by`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_decisions`(`org_id`, `inventory_id`, `vuln_id`, `component_id`, `author`, `status`, `justification`, `note`, `fix`, `owner`, `expires_at`, `decided_at`, `user_id`, `dismissed_at`, `dismissed_by`) SELECT `org_id`, `inventory_id`, `vuln_id`, `component_id`, `author`, `status`, `justification`, `note`, `fix`, `owner`, `expires_at`, `decided_at`, `user_id`, `dismissed_at`, `dismissed_by` FROM `inventory_decisions`;
--> statement-breakpoint
CREATE TABLE `new_inventory_due` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `component_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_due`(`org_id`, `inventory_id`, `component_id`, `vuln_id`) SELECT `org_id`, `inventory_id`, `component_id`, `vuln_id` FROM `inventory_due`;
--> statement-breakpoint
CREATE TABLE `new_inventory_findings` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_findings`(`org_id`, `inventory_id`, `component_id`, `vuln_id`, `status`, `confidence`, `source`, `range`, `fixed_in`, `first_unlisted`, `is_disputed`, `found_at`) SELECT `org_id`, `inventory_id`, `component_id`, `vuln_id`, `status`, `confidence`, `source`, `range`, `fixed_in`, `first_unlisted`, `is_disputed`, `found_at` FROM `inventory_findings`;
--> statement-breakpoint
CREATE TABLE `new_inventory_lists` (
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`list` text NOT NULL,
	`made_of` text NOT NULL,
	`count` integer NOT NULL,
	`first` text NOT NULL,
	PRIMARY KEY(`org_id`, `inventory_id`, `list`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_lists`(`org_id`, `inventory_id`, `list`, `made_of`, `count`, `first`) SELECT `org_id`, `inventory_id`, `list`, `made_of`, `count`, `first` FROM `inventory_lists`;
--> statement-breakpoint
CREATE TABLE `new_inventory_matches` (
	`kind` text NOT NULL,
	`first` text NOT NULL,
	`name` text NOT NULL,
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `first`, `name`, `org_id`, `inventory_id`, `component_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_matches`(`kind`, `first`, `name`, `org_id`, `inventory_id`, `component_id`) SELECT `kind`, `first`, `name`, `org_id`, `inventory_id`, `component_id` FROM `inventory_matches`;
--> statement-breakpoint
CREATE TABLE `new_inventory_vulns` (
	`vuln_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`inventory_id` integer NOT NULL,
	`since_seq` integer NOT NULL,
	`verdict` integer NOT NULL,
	PRIMARY KEY(`vuln_id`, `org_id`, `inventory_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_inventory_vulns`(`vuln_id`, `org_id`, `inventory_id`, `since_seq`, `verdict`) SELECT `vuln_id`, `org_id`, `inventory_id`, `since_seq`, `verdict` FROM `inventory_vulns`;
--> statement-breakpoint
CREATE TABLE `new_known_places` (
	`user_id` integer NOT NULL,
	`network` text NOT NULL,
	`last_at` text NOT NULL,
	PRIMARY KEY(`user_id`, `network`),
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_known_places`(`user_id`, `network`, `last_at`) SELECT `user_id`, `network`, `last_at` FROM `known_places`;
--> statement-breakpoint
CREATE TABLE `new_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`token_hash` text NOT NULL,
	`kind` text NOT NULL,
	`email` text NOT NULL,
	`user_id` integer,
	`org_id` integer,
	`data` text DEFAULT '{}' NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_links`(`id`, `token_hash`, `kind`, `email`, `user_id`, `org_id`, `data`, `created_at`, `expires_at`, `used_at`) SELECT `id`, `token_hash`, `kind`, `email`, `user_id`, `org_id`, `data`, `created_at`, `expires_at`, `used_at` FROM `links`;
--> statement-breakpoint
CREATE TABLE `new_mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_mails`(`id`, `to`, `kind`, `subject`, `html`, `headers`, `text`, `status`, `attempts`, `next_attempt_at`, `lease_until`, `last_error`, `created_at`, `sent_at`) SELECT `id`, `to`, `kind`, `subject`, `html`, `headers`, `text`, `status`, `attempts`, `next_attempt_at`, `lease_until`, `last_error`, `created_at`, `sent_at` FROM `mails`;
--> statement-breakpoint
CREATE TABLE `new_members` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`is_admin` integer DEFAULT false NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`manage_organization` integer DEFAULT false NOT NULL,
	`manage_alert_email` integer DEFAULT false NOT NULL,
	`manage_metadata` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_members`(`org_id`, `user_id`, `is_admin`, `is_active`, `manage_organization`, `manage_alert_email`, `manage_metadata`) SELECT `org_id`, `user_id`, `is_admin`, `is_active`, `manage_organization`, `manage_alert_email`, `manage_metadata` FROM `members`;
--> statement-breakpoint
CREATE TABLE `new_monitored_bulletins` (
	`org_id` integer NOT NULL,
	`bulletin_id` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`org_id`, `bulletin_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bulletin_id`) REFERENCES `new_bulletins`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_monitored_bulletins`(`org_id`, `bulletin_id`, `created_at`) SELECT `org_id`, `bulletin_id`, `created_at` FROM `monitored_bulletins`;
--> statement-breakpoint
CREATE TABLE `new_monitored_packages` (
	`org_id` integer NOT NULL,
	`package_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`groups` text,
	`versions` text,
	PRIMARY KEY(`org_id`, `package_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`package_id`) REFERENCES `packages`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_monitored_packages`(`org_id`, `package_id`, `created_at`, `groups`, `versions`) SELECT `org_id`, `package_id`, `created_at`, `groups`, `versions` FROM `monitored_packages`;
--> statement-breakpoint
CREATE TABLE `new_monitored_products` (
	`org_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`is_monitored` integer NOT NULL,
	`created_at` text NOT NULL,
	`groups` text,
	`versions` text,
	PRIMARY KEY(`org_id`, `product_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_monitored_products`(`org_id`, `product_id`, `is_monitored`, `created_at`, `groups`, `versions`) SELECT `org_id`, `product_id`, `is_monitored`, `created_at`, `groups`, `versions` FROM `monitored_products`;
--> statement-breakpoint
CREATE TABLE `new_monitored_vendors` (
	`org_id` integer NOT NULL,
	`vendor_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`groups` text,
	PRIMARY KEY(`org_id`, `vendor_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vendor_id`) REFERENCES `vendors`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_monitored_vendors`(`org_id`, `vendor_id`, `created_at`, `groups`) SELECT `org_id`, `vendor_id`, `created_at`, `groups` FROM `monitored_vendors`;
--> statement-breakpoint
CREATE TABLE `new_monitored_vulns` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`groups` text,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_monitored_vulns`(`org_id`, `vuln_id`, `created_at`, `groups`) SELECT `org_id`, `vuln_id`, `created_at`, `groups` FROM `monitored_vulns`;
--> statement-breakpoint
CREATE TABLE `new_org_stats` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`made_of` text NOT NULL,
	`stats` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_org_stats`(`org_id`, `made_of`, `stats`) SELECT `org_id`, `made_of`, `stats` FROM `org_stats`;
--> statement-breakpoint
CREATE TABLE `new_org_vulns` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`touched` integer DEFAULT 0 NOT NULL,
	`verdict` integer,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_org_vulns`(`org_id`, `vuln_id`, `touched`, `verdict`) SELECT `org_id`, `vuln_id`, `touched`, `verdict` FROM `org_vulns`;
--> statement-breakpoint
CREATE TABLE `new_passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`credential_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text DEFAULT '[]' NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_passkeys`(`id`, `credential_id`, `user_id`, `public_key`, `counter`, `transports`, `name`, `created_at`, `last_used_at`) SELECT `id`, `credential_id`, `user_id`, `public_key`, `counter`, `transports`, `name`, `created_at`, `last_used_at` FROM `passkeys`;
--> statement-breakpoint
CREATE TABLE `new_quotas` (
	`org_id` integer NOT NULL,
	`name` text NOT NULL,
	`day` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`org_id`, `name`, `day`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_quotas`(`org_id`, `name`, `day`, `used`) SELECT `org_id`, `name`, `day`, `used` FROM `quotas`;
--> statement-breakpoint
CREATE TABLE `new_recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	`used_at` text,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_recovery_codes`(`user_id`, `code_hash`, `used_at`) SELECT `user_id`, `code_hash`, `used_at` FROM `recovery_codes`;
--> statement-breakpoint
CREATE TABLE `new_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`secret` text DEFAULT (lower(hex(randomblob(16)))) NOT NULL,
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
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_sessions`(`id`, `user_id`, `org_id`, `acting_org_id`, `sso_org_id`, `user_agent`, `ip`, `created_at`, `last_seen`, `expires_at`, `revoked_at`, `revoked_why`, `proved_at`) SELECT `id`, `user_id`, `org_id`, `acting_org_id`, `sso_org_id`, `user_agent`, `ip`, `created_at`, `last_seen`, `expires_at`, `revoked_at`, `revoked_why`, `proved_at` FROM `sessions`;
--> statement-breakpoint
CREATE TABLE `new_refresh_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`used_at` text,
	FOREIGN KEY (`session_id`) REFERENCES `new_sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_refresh_tokens`(`token_hash`, `session_id`, `created_at`, `used_at`) SELECT `token_hash`, `session_id`, `created_at`, `used_at` FROM `refresh_tokens`;
--> statement-breakpoint
CREATE TABLE `new_report_dues` (
	`due_at` text NOT NULL,
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`lease_until` text,
	PRIMARY KEY(`due_at`, `org_id`, `kind`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_report_dues`(`due_at`, `org_id`, `kind`, `lease_until`) SELECT `due_at`, `org_id`, `kind`, `lease_until` FROM `report_dues`;
--> statement-breakpoint
CREATE TABLE `new_reports` (
	`org_id` integer NOT NULL,
	`kind` text NOT NULL,
	`period` text NOT NULL,
	`ends_at` text NOT NULL,
	`last_seq` integer NOT NULL,
	`facts` text NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `period`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_reports`(`org_id`, `kind`, `period`, `ends_at`, `last_seq`, `facts`) SELECT `org_id`, `kind`, `period`, `ends_at`, `last_seq`, `facts` FROM `reports`;
--> statement-breakpoint
CREATE TABLE `new_saved_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`is_shared` integer DEFAULT false NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_saved_views`(`id`, `org_id`, `user_id`, `name`, `query`, `is_shared`, `created_at`, `updated_at`) SELECT `id`, `org_id`, `user_id`, `name`, `query`, `is_shared`, `created_at`, `updated_at` FROM `saved_views`;
--> statement-breakpoint
CREATE TABLE `new_sso_domains` (
	`org_id` integer NOT NULL,
	`domain` text NOT NULL,
	`proof` text NOT NULL,
	`proved_at` text,
	`proved_by` text,
	PRIMARY KEY(`org_id`, `domain`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_sso_domains`(`org_id`, `domain`, `proof`, `proved_at`, `proved_by`) SELECT `org_id`, `domain`, `proof`, `proved_at`, `proved_by` FROM `sso_domains`;
--> statement-breakpoint
CREATE TABLE `new_sso_identities` (
	`org_id` integer NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `subject`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_sso_identities`(`org_id`, `subject`, `user_id`) SELECT `org_id`, `subject`, `user_id` FROM `sso_identities`;
--> statement-breakpoint
CREATE TABLE `new_sso_providers` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` text NOT NULL,
	`is_enabled` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_sso_providers`(`org_id`, `issuer`, `client_id`, `client_secret`, `is_enabled`) SELECT `org_id`, `issuer`, `client_id`, `client_secret`, `is_enabled` FROM `sso_providers`;
--> statement-breakpoint
CREATE TABLE `new_subscribers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`state` text NOT NULL,
	`created_at` text NOT NULL,
	`confirmed_at` text
);
--> statement-breakpoint
INSERT INTO `new_subscribers`(`id`, `email`, `token_hash`, `state`, `created_at`, `confirmed_at`) SELECT `id`, `email`, `token_hash`, `state`, `created_at`, `confirmed_at` FROM `subscribers`;
--> statement-breakpoint
CREATE TABLE `new_threats` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
INSERT INTO `new_threats`(`id`, `vuln_id`, `org_id`, `source`, `key`, `link`, `notes`, `trust_level`, `tlp_level`, `is_in_the_wild`, `is_in_the_news`, `published`, `modified`) SELECT `id`, `vuln_id`, `org_id`, `source`, `key`, `link`, `notes`, `trust_level`, `tlp_level`, `is_in_the_wild`, `is_in_the_news`, `published`, `modified` FROM `threats`;
--> statement-breakpoint
CREATE TABLE `new_vuln_assignees` (
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`org_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_vuln_assignees`(`org_id`, `vuln_id`, `user_id`, `at`) SELECT `org_id`, `vuln_id`, `user_id`, `at` FROM `vuln_assignees`;
--> statement-breakpoint
CREATE TABLE `new_vuln_seen` (
	`org_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`, `vuln_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_vuln_seen`(`org_id`, `user_id`, `vuln_id`, `seen_at`) SELECT `org_id`, `user_id`, `vuln_id`, `seen_at` FROM `vuln_seen`;
--> statement-breakpoint
CREATE TABLE `new_vuln_snoozes` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`owner_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_vuln_snoozes`(`org_id`, `vuln_id`, `kind`, `until`, `on_fix`, `on_kev`, `on_exploit`, `epss_above`, `reason`, `owner_id`, `user_id`, `created_at`, `woken_at`, `woken_by`) SELECT `org_id`, `vuln_id`, `kind`, `until`, `on_fix`, `on_kev`, `on_exploit`, `epss_above`, `reason`, `owner_id`, `user_id`, `created_at`, `woken_at`, `woken_by` FROM `vuln_snoozes`;
--> statement-breakpoint
CREATE TABLE `new_vuln_status_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`status` text NOT NULL,
	`at` text NOT NULL,
	`user_id` integer,
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `new_vuln_status_changes`(`id`, `org_id`, `vuln_id`, `status`, `at`, `user_id`) SELECT `id`, `org_id`, `vuln_id`, `status`, `at`, `user_id` FROM `vuln_status_changes`;
--> statement-breakpoint
CREATE TABLE `new_vuln_statuses` (
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
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`vuln_id`) REFERENCES `new_vulns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `new_users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_vuln_statuses`(`org_id`, `vuln_id`, `status`, `updated_at`, `user_id`, `justification`, `note`, `owner`, `expires_at`) SELECT `org_id`, `vuln_id`, `status`, `updated_at`, `user_id`, `justification`, `note`, `owner`, `expires_at` FROM `vuln_statuses`;
--> statement-breakpoint
CREATE TABLE `new_watch_groups` (
	`org_id` integer NOT NULL,
	`label` text NOT NULL,
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	PRIMARY KEY(`org_id`, `label`, `kind`, `item_id`),
	FOREIGN KEY (`org_id`) REFERENCES `new_orgs`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_watch_groups`(`org_id`, `label`, `kind`, `item_id`) SELECT `org_id`, `label`, `kind`, `item_id` FROM `watch_groups`;
--> statement-breakpoint
DROP TABLE `watch_groups`;
--> statement-breakpoint
DROP TABLE `vuln_statuses`;
--> statement-breakpoint
DROP TABLE `vuln_status_changes`;
--> statement-breakpoint
DROP TABLE `vuln_snoozes`;
--> statement-breakpoint
DROP TABLE `vuln_seen`;
--> statement-breakpoint
DROP TABLE `vuln_assignees`;
--> statement-breakpoint
DROP TABLE `threats`;
--> statement-breakpoint
DROP TABLE `subscribers`;
--> statement-breakpoint
DROP TABLE `sso_providers`;
--> statement-breakpoint
DROP TABLE `sso_identities`;
--> statement-breakpoint
DROP TABLE `sso_domains`;
--> statement-breakpoint
DROP TABLE `saved_views`;
--> statement-breakpoint
DROP TABLE `reports`;
--> statement-breakpoint
DROP TABLE `report_dues`;
--> statement-breakpoint
DROP TABLE `refresh_tokens`;
--> statement-breakpoint
DROP TABLE `sessions`;
--> statement-breakpoint
DROP TABLE `recovery_codes`;
--> statement-breakpoint
DROP TABLE `quotas`;
--> statement-breakpoint
DROP TABLE `passkeys`;
--> statement-breakpoint
DROP TABLE `org_vulns`;
--> statement-breakpoint
DROP TABLE `org_stats`;
--> statement-breakpoint
DROP TABLE `monitored_vulns`;
--> statement-breakpoint
DROP TABLE `monitored_vendors`;
--> statement-breakpoint
DROP TABLE `monitored_products`;
--> statement-breakpoint
DROP TABLE `monitored_packages`;
--> statement-breakpoint
DROP TABLE `monitored_bulletins`;
--> statement-breakpoint
DROP TABLE `members`;
--> statement-breakpoint
DROP TABLE `mails`;
--> statement-breakpoint
DROP TABLE `links`;
--> statement-breakpoint
DROP TABLE `known_places`;
--> statement-breakpoint
DROP TABLE `inventory_vulns`;
--> statement-breakpoint
DROP TABLE `inventory_matches`;
--> statement-breakpoint
DROP TABLE `inventory_lists`;
--> statement-breakpoint
DROP TABLE `inventory_findings`;
--> statement-breakpoint
DROP TABLE `inventory_due`;
--> statement-breakpoint
DROP TABLE `inventory_decisions`;
--> statement-breakpoint
DROP TABLE `inventory_days`;
--> statement-breakpoint
DROP TABLE `inventory_components`;
--> statement-breakpoint
DROP TABLE `inventories`;
--> statement-breakpoint
DROP TABLE `feed_skips`;
--> statement-breakpoint
DROP TABLE `feed_runs`;
--> statement-breakpoint
DROP TABLE `exploits`;
--> statement-breakpoint
DROP TABLE `deliveries`;
--> statement-breakpoint
DROP TABLE `dead_messages`;
--> statement-breakpoint
DROP TABLE `comments`;
--> statement-breakpoint
DROP TABLE `challenges`;
--> statement-breakpoint
DROP TABLE `bulletins`;
--> statement-breakpoint
DROP TABLE `awaited_names`;
--> statement-breakpoint
DROP TABLE `awaited`;
--> statement-breakpoint
DROP TABLE `api_tokens`;
--> statement-breakpoint
DROP TABLE `alerts`;
--> statement-breakpoint
DROP TABLE `vulns`;
--> statement-breakpoint
DROP TABLE `alert_settings`;
--> statement-breakpoint
DROP TABLE `alert_proofs`;
--> statement-breakpoint
DROP TABLE `alert_feeds`;
--> statement-breakpoint
DROP TABLE `alert_channels`;
--> statement-breakpoint
DROP TABLE `alert_addresses`;
--> statement-breakpoint
DROP TABLE `orgs`;
--> statement-breakpoint
DROP TABLE `users`;
--> statement-breakpoint
ALTER TABLE `new_users` RENAME TO `users`;
--> statement-breakpoint
ALTER TABLE `new_orgs` RENAME TO `orgs`;
--> statement-breakpoint
ALTER TABLE `new_alert_addresses` RENAME TO `alert_addresses`;
--> statement-breakpoint
ALTER TABLE `new_alert_channels` RENAME TO `alert_channels`;
--> statement-breakpoint
ALTER TABLE `new_alert_feeds` RENAME TO `alert_feeds`;
--> statement-breakpoint
ALTER TABLE `new_alert_proofs` RENAME TO `alert_proofs`;
--> statement-breakpoint
ALTER TABLE `new_alert_settings` RENAME TO `alert_settings`;
--> statement-breakpoint
ALTER TABLE `new_vulns` RENAME TO `vulns`;
--> statement-breakpoint
ALTER TABLE `new_alerts` RENAME TO `alerts`;
--> statement-breakpoint
ALTER TABLE `new_api_tokens` RENAME TO `api_tokens`;
--> statement-breakpoint
ALTER TABLE `new_awaited` RENAME TO `awaited`;
--> statement-breakpoint
ALTER TABLE `new_awaited_names` RENAME TO `awaited_names`;
--> statement-breakpoint
ALTER TABLE `new_bulletins` RENAME TO `bulletins`;
--> statement-breakpoint
ALTER TABLE `new_challenges` RENAME TO `challenges`;
--> statement-breakpoint
ALTER TABLE `new_comments` RENAME TO `comments`;
--> statement-breakpoint
ALTER TABLE `new_dead_messages` RENAME TO `dead_messages`;
--> statement-breakpoint
ALTER TABLE `new_deliveries` RENAME TO `deliveries`;
--> statement-breakpoint
ALTER TABLE `new_exploits` RENAME TO `exploits`;
--> statement-breakpoint
ALTER TABLE `new_feed_runs` RENAME TO `feed_runs`;
--> statement-breakpoint
ALTER TABLE `new_feed_skips` RENAME TO `feed_skips`;
--> statement-breakpoint
ALTER TABLE `new_inventories` RENAME TO `inventories`;
--> statement-breakpoint
ALTER TABLE `new_inventory_components` RENAME TO `inventory_components`;
--> statement-breakpoint
ALTER TABLE `new_inventory_days` RENAME TO `inventory_days`;
--> statement-breakpoint
ALTER TABLE `new_inventory_decisions` RENAME TO `inventory_decisions`;
--> statement-breakpoint
ALTER TABLE `new_inventory_due` RENAME TO `inventory_due`;
--> statement-breakpoint
ALTER TABLE `new_inventory_findings` RENAME TO `inventory_findings`;
--> statement-breakpoint
ALTER TABLE `new_inventory_lists` RENAME TO `inventory_lists`;
--> statement-breakpoint
ALTER TABLE `new_inventory_matches` RENAME TO `inventory_matches`;
--> statement-breakpoint
ALTER TABLE `new_inventory_vulns` RENAME TO `inventory_vulns`;
--> statement-breakpoint
ALTER TABLE `new_known_places` RENAME TO `known_places`;
--> statement-breakpoint
ALTER TABLE `new_links` RENAME TO `links`;
--> statement-breakpoint
ALTER TABLE `new_mails` RENAME TO `mails`;
--> statement-breakpoint
ALTER TABLE `new_members` RENAME TO `members`;
--> statement-breakpoint
ALTER TABLE `new_monitored_bulletins` RENAME TO `monitored_bulletins`;
--> statement-breakpoint
ALTER TABLE `new_monitored_packages` RENAME TO `monitored_packages`;
--> statement-breakpoint
ALTER TABLE `new_monitored_products` RENAME TO `monitored_products`;
--> statement-breakpoint
ALTER TABLE `new_monitored_vendors` RENAME TO `monitored_vendors`;
--> statement-breakpoint
ALTER TABLE `new_monitored_vulns` RENAME TO `monitored_vulns`;
--> statement-breakpoint
ALTER TABLE `new_org_stats` RENAME TO `org_stats`;
--> statement-breakpoint
ALTER TABLE `new_org_vulns` RENAME TO `org_vulns`;
--> statement-breakpoint
ALTER TABLE `new_passkeys` RENAME TO `passkeys`;
--> statement-breakpoint
ALTER TABLE `new_quotas` RENAME TO `quotas`;
--> statement-breakpoint
ALTER TABLE `new_recovery_codes` RENAME TO `recovery_codes`;
--> statement-breakpoint
ALTER TABLE `new_sessions` RENAME TO `sessions`;
--> statement-breakpoint
ALTER TABLE `new_refresh_tokens` RENAME TO `refresh_tokens`;
--> statement-breakpoint
ALTER TABLE `new_report_dues` RENAME TO `report_dues`;
--> statement-breakpoint
ALTER TABLE `new_reports` RENAME TO `reports`;
--> statement-breakpoint
ALTER TABLE `new_saved_views` RENAME TO `saved_views`;
--> statement-breakpoint
ALTER TABLE `new_sso_domains` RENAME TO `sso_domains`;
--> statement-breakpoint
ALTER TABLE `new_sso_identities` RENAME TO `sso_identities`;
--> statement-breakpoint
ALTER TABLE `new_sso_providers` RENAME TO `sso_providers`;
--> statement-breakpoint
ALTER TABLE `new_subscribers` RENAME TO `subscribers`;
--> statement-breakpoint
ALTER TABLE `new_threats` RENAME TO `threats`;
--> statement-breakpoint
ALTER TABLE `new_vuln_assignees` RENAME TO `vuln_assignees`;
--> statement-breakpoint
ALTER TABLE `new_vuln_seen` RENAME TO `vuln_seen`;
--> statement-breakpoint
ALTER TABLE `new_vuln_snoozes` RENAME TO `vuln_snoozes`;
--> statement-breakpoint
ALTER TABLE `new_vuln_status_changes` RENAME TO `vuln_status_changes`;
--> statement-breakpoint
ALTER TABLE `new_vuln_statuses` RENAME TO `vuln_statuses`;
--> statement-breakpoint
ALTER TABLE `new_watch_groups` RENAME TO `watch_groups`;
--> statement-breakpoint
CREATE INDEX `alerts_by_change` ON `alerts` (`last_seq`);
--> statement-breakpoint
CREATE INDEX `alerts_by_org` ON `alerts` (`org_id`,`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`org_id`,`vuln_id`,`change_seq`);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_by_hash` ON `api_tokens` (`token_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `bulletins_by_publicid` ON `bulletins` (`source`,`publicid`);
--> statement-breakpoint
CREATE INDEX `bulletins_by_published` ON `bulletins` (`published`);
--> statement-breakpoint
CREATE INDEX `comments_by_vuln` ON `comments` (`org_id`,`vuln_id`,`id`);
--> statement-breakpoint
CREATE INDEX `deliveries_by_due` ON `deliveries` (`status`,`next_attempt_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`alert_id`,`channel`,`target`,`rule`);
--> statement-breakpoint
CREATE INDEX `exploits_by_modified` ON `exploits` (`modified`);
--> statement-breakpoint
CREATE INDEX `exploits_by_org` ON `exploits` (`org_id`,`modified`) WHERE org_id IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `exploits_once` ON `exploits` (`vuln_id`,`key`,coalesce(org_id, 0));
--> statement-breakpoint
CREATE UNIQUE INDEX `feed_skips_by_record` ON `feed_skips` (`feed_id`,`record_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_by_token` ON `links` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `mails_by_due` ON `mails` (`status`,`next_attempt_at`);
--> statement-breakpoint
CREATE INDEX `mails_by_recipient` ON `mails` (`to`,`kind`);
--> statement-breakpoint
CREATE INDEX `members_by_user` ON `members` (`user_id`,`org_id`);
--> statement-breakpoint
CREATE INDEX `monitored_packages_by_package` ON `monitored_packages` (`package_id`,`org_id`);
--> statement-breakpoint
CREATE INDEX `monitored_products_by_product` ON `monitored_products` (`product_id`,`org_id`,`is_monitored`);
--> statement-breakpoint
CREATE INDEX `monitored_vendors_by_vendor` ON `monitored_vendors` (`vendor_id`,`org_id`);
--> statement-breakpoint
CREATE INDEX `monitored_vulns_by_vuln` ON `monitored_vulns` (`vuln_id`,`org_id`);
--> statement-breakpoint
CREATE INDEX `org_vulns_by_touched` ON `org_vulns` (`org_id`,`touched`);
--> statement-breakpoint
CREATE INDEX `org_vulns_by_vuln` ON `org_vulns` (`vuln_id`,`org_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_by_slug` ON `orgs` (`slug`);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_by_credential` ON `passkeys` (`credential_id`);
--> statement-breakpoint
CREATE INDEX `passkeys_by_user` ON `passkeys` (`user_id`);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_session` ON `refresh_tokens` (`session_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_views_by_name` ON `saved_views` (`org_id`,`user_id`,`name`);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `sso_domains_proved` ON `sso_domains` (`domain`) WHERE proved_at IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_by_email` ON `subscribers` (`email`);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_by_token` ON `subscribers` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `threats_by_modified` ON `threats` (`modified`);
--> statement-breakpoint
CREATE UNIQUE INDEX `threats_once` ON `threats` (`vuln_id`,`key`,coalesce(org_id, 0));
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_email` ON `users` (lower("email"));
--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_username` ON `users` (lower("username"));
--> statement-breakpoint
CREATE INDEX `vuln_status_changes_by_vuln` ON `vuln_status_changes` (`org_id`,`vuln_id`,`id`);
--> statement-breakpoint
CREATE INDEX `vuln_statuses_by_status` ON `vuln_statuses` (`org_id`,`status`,`vuln_id`);
--> statement-breakpoint
CREATE INDEX `vulns_by_access` ON `vulns` (`access`) WHERE access IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_confirmed` ON `vulns` (`is_confirmed`) WHERE is_confirmed = 1 AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `vulns_by_cveid` ON `vulns` (`cveid`);
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss` ON `vulns` (`cvss`,`updated_at`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3` ON `vulns` (`cvss3`,`updated_at`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss3_vector` ON `vulns` (`cvss3_vector`) WHERE cvss3_vector IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss4` ON `vulns` (`cvss4`,`updated_at`) WHERE cvss4 IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_cvss_vector` ON `vulns` (`cvss_vector`) WHERE cvss_vector IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_cwe` ON `vulns` (`cwe_id`) WHERE cwe_id IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_epss` ON `vulns` (`epss`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_exploit_count` ON `vulns` (`exploit_count`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_exploitable` ON `vulns` (`updated_at`) WHERE is_exploitable = 1 AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_impact` ON `vulns` (`impact`) WHERE impact IS NOT NULL AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_modified` ON `vulns` (`modified`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_news` ON `vulns` (`is_in_the_news`) WHERE is_in_the_news = 1 AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_org` ON `vulns` (`org_id`) WHERE org_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_published` ON `vulns` (`published`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_rank` ON `vulns` (`score`,(kev_added_at IS NOT NULL),`epss`,`published`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_score` ON `vulns` (`score`,`updated_at`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_summary` ON `vulns` (substr(summary, 1, 4)) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_updated` ON `vulns` (`updated_at`,`id`,`score`,`cvss3`,`exploit_count`,`is_exploitable`,`is_confirmed`,`is_in_the_news`,`is_in_the_wild`) WHERE state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX `vulns_by_wild` ON `vulns` ((kev_added_at IS NOT NULL),`updated_at`) WHERE is_in_the_wild = 1 AND state <> 'rejected' AND org_id IS NULL;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_insert after insert on vulns when new.state <> 'rejected' and new.org_id is null begin
  insert into vulns_fts(rowid, cveid, summary, keywords) values (new.id, new.cveid, new.summary, new.keywords);
end;
--> statement-breakpoint
CREATE TRIGGER vulns_fts_update after update of cveid, summary, keywords, state on vulns
when new.org_id is null and ((old.state <> 'rejected') <> (new.state <> 'rejected') or old.cveid is not new.cveid or old.summary is not new.summary or old.keywords is not new.keywords) begin
  insert into vulns_fts(vulns_fts, rowid, cveid, summary, keywords) select 'delete', old.id, old.cveid, old.summary, old.keywords where old.state <> 'rejected';
  insert into vulns_fts(rowid, cveid, summary, keywords) select new.id, new.cveid, new.summary, new.keywords where new.state <> 'rejected';
end;
--> statement-breakpoint
ALTER TABLE `orgs` ADD `last_inventory_id` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `inventories` ADD `last_component_id` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `orgs` SET `last_inventory_id` = (SELECT coalesce(max(i.`id`), 0) FROM `inventories` i WHERE i.`org_id` = `orgs`.`id`);
--> statement-breakpoint
UPDATE `inventories` SET `last_component_id` = (SELECT coalesce(max(c.`id`), 0) FROM `inventory_components` c WHERE c.`org_id` = `inventories`.`org_id` AND c.`inventory_id` = `inventories`.`id`);
--> statement-breakpoint
-- Users who are gone stand in the audit log.
UPDATE `sqlite_sequence` SET `seq` = max(`seq`, (SELECT coalesce(max(`actor_id`), 0) FROM `audit_log`)) WHERE `name` = 'users';
--> statement-breakpoint
-- What another organization wrote for itself concerned whoever watches its product.
DELETE FROM `org_vulns` WHERE EXISTS (SELECT 1 FROM `vulns` v WHERE v.`id` = `org_vulns`.`vuln_id` AND v.`org_id` <> `org_vulns`.`org_id`);
