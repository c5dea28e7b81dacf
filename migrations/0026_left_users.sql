CREATE TABLE `left_users` (
	`id` integer PRIMARY KEY NOT NULL,
	`left_at` text NOT NULL
);
