CREATE TABLE `removed_lists` (
	`org_id` integer NOT NULL,
	`key` text NOT NULL,
	`part` integer NOT NULL,
	`removed_at` text NOT NULL,
	`removed_by` integer,
	`count` integer NOT NULL,
	`lines` text NOT NULL,
	PRIMARY KEY(`org_id`, `key`, `part`),
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`removed_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `reach` text DEFAULT 'organization' NOT NULL;--> statement-breakpoint
-- Where a token was used is not recorded, so each one that is there already is held to the organization that it acts in now. Only
-- what the audit log shows to have moved to another organization since it was made goes on as a personal token: its user switches
-- with it. Who uses another one everywhere, or with the rights of a global admin, makes a personal token and removes the old one.
UPDATE `api_tokens` SET `reach` = 'all' WHERE EXISTS (
  SELECT 1 FROM `audit_log` a WHERE a.`action` = 'token.create' AND a.`actor_id` = `api_tokens`.`user_id`
    AND a.`target` = `api_tokens`.`name` AND a.`at` = `api_tokens`.`created_at` AND a.`org_id` <> `api_tokens`.`org_id`);
--> statement-breakpoint
ALTER TABLE `inventories` ADD `removed_at` text;--> statement-breakpoint
ALTER TABLE `inventories` ADD `removed_by` integer REFERENCES users(id) ON DELETE set null;