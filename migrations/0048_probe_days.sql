CREATE TABLE `probe_days` (
	`day` text PRIMARY KEY NOT NULL,
	`slots` text NOT NULL
);
