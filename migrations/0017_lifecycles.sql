CREATE TABLE `lifecycle_names` (
	`kind` text NOT NULL,
	`first` text NOT NULL,
	`name` text NOT NULL,
	`lifecycle_id` text NOT NULL,
	PRIMARY KEY(`kind`, `first`, `name`, `lifecycle_id`)
);
--> statement-breakpoint
CREATE TABLE `lifecycles` (
	`id` text PRIMARY KEY NOT NULL,
	`label` text NOT NULL,
	`releases` text NOT NULL
);
