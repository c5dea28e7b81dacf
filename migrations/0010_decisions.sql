CREATE TABLE `decision_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` integer NOT NULL,
	`vuln_id` integer NOT NULL,
	`scope` text NOT NULL,
	`inventory_id` integer DEFAULT 0 NOT NULL,
	`component_id` integer DEFAULT 0 NOT NULL,
	`verdict` text,
	`before` text,
	`at` text NOT NULL,
	`user_id` integer,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `decision_changes_by_vuln` ON `decision_changes` (`org_id`,`vuln_id`,`id`);--> statement-breakpoint
CREATE TABLE `decisions` (
	`vuln_id` integer NOT NULL,
	`org_id` integer NOT NULL,
	`scope` text NOT NULL,
	`inventory_id` integer DEFAULT 0 NOT NULL,
	`component_id` integer DEFAULT 0 NOT NULL,
	`author` text DEFAULT '' NOT NULL,
	`verdict` text NOT NULL,
	`justification` text,
	`note` text,
	`fix` text,
	`owner` text,
	`owner_id` integer,
	`last_day` text,
	`on_fix` integer DEFAULT false NOT NULL,
	`on_kev` integer DEFAULT false NOT NULL,
	`on_exploit` integer DEFAULT false NOT NULL,
	`epss_above` real,
	`decided_at` text NOT NULL,
	`user_id` integer,
	`approved_user_id` integer,
	`ended_at` text,
	`ended_by` text,
	`ended_user_id` integer,
	PRIMARY KEY(`vuln_id`, `org_id`, `scope`, `inventory_id`, `component_id`, `author`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`approved_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`ended_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `decisions_by_place` ON `decisions` (`org_id`,`inventory_id`,`verdict`,`vuln_id`);--> statement-breakpoint
DROP INDEX `vuln_statuses_by_status`;--> statement-breakpoint
DROP INDEX `vuln_status_changes_by_vuln`;--> statement-breakpoint
ALTER TABLE `orgs` ADD `needs_approver` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- What stands in the four tables is copied and not read any more; a later landing drops them.
INSERT INTO `decisions`(`vuln_id`, `org_id`, `scope`, `verdict`, `justification`, `note`, `owner`, `last_day`, `decided_at`, `user_id`)
SELECT `vuln_id`, `org_id`, 'vulnerability', `status`, `justification`, `note`, `owner`, `expires_at`, `updated_at`, `user_id` FROM `vuln_statuses`;
--> statement-breakpoint
-- A snooze ended on its day; a decision counts to the end of its last day.
INSERT INTO `decisions`(`vuln_id`, `org_id`, `scope`, `verdict`, `note`, `owner_id`, `last_day`, `on_fix`, `on_kev`, `on_exploit`, `epss_above`,
  `decided_at`, `user_id`, `ended_at`, `ended_by`)
SELECT `vuln_id`, `org_id`, 'alerts', `kind`, nullif(`reason`, ''), `owner_id`, date(`until`, '-1 day'), `on_fix`, `on_kev`, `on_exploit`, `epss_above`,
  `created_at`, `user_id`, `woken_at`, `woken_by` FROM `vuln_snoozes`;
--> statement-breakpoint
INSERT INTO `decisions`(`vuln_id`, `org_id`, `scope`, `inventory_id`, `component_id`, `author`, `verdict`, `justification`, `note`, `fix`, `owner`,
  `last_day`, `decided_at`, `user_id`, `ended_at`, `ended_by`, `ended_user_id`)
SELECT `vuln_id`, `org_id`, 'component', `inventory_id`, `component_id`, `author`, `status`, `justification`, `note`, `fix`, `owner`,
  `expires_at`, `decided_at`, `user_id`, `dismissed_at`, iif(`dismissed_at` IS NULL, NULL, 'hand'), `dismissed_by` FROM `inventory_decisions`;
--> statement-breakpoint
INSERT INTO `decision_changes`(`id`, `org_id`, `vuln_id`, `scope`, `verdict`, `at`, `user_id`)
SELECT `id`, `org_id`, `vuln_id`, 'vulnerability', `status`, `at`, `user_id` FROM `vuln_status_changes`;
--> statement-breakpoint
-- One job ends all decisions: those that no longer run would be late for ever.
DELETE FROM `clock_jobs` WHERE `name` IN ('snoozes', 'statuses', 'status_history');
