ALTER TABLE `orgs` ADD `trial_told` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `removal_at` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `removal_trial_end` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `removal_user_id` integer REFERENCES users(id) ON DELETE set null;