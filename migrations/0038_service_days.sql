CREATE TABLE `service_days` (
	`day` text PRIMARY KEY NOT NULL,
	`first_slot` integer NOT NULL,
	`slot` integer NOT NULL,
	`ready` integer NOT NULL,
	`is_ready` integer NOT NULL,
	`feeds` text NOT NULL,
	`alerts_p95_s` integer
) WITHOUT ROWID;
