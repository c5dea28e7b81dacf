CREATE TABLE `guesses` (
	`vuln_id` integer PRIMARY KEY NOT NULL,
	`names` text NOT NULL,
	`settled` text
);
--> statement-breakpoint
INSERT INTO `counters`(`name`, `value`) VALUES ('guesses_settled_to', 0);
