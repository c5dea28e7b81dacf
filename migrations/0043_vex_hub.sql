CREATE TABLE `vex_documents` (
	`location` text PRIMARY KEY NOT NULL,
	`hub` text NOT NULL,
	`version` text NOT NULL,
	`products` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `vex_statements` (
	`type` text NOT NULL,
	`name` text NOT NULL,
	`vuln` text NOT NULL,
	`location` text NOT NULL,
	`place` integer NOT NULL,
	`product` text NOT NULL,
	`vulns` text NOT NULL,
	`parts` text NOT NULL,
	`status` text NOT NULL,
	`justification` text,
	`note` text,
	`author` text NOT NULL,
	`said_at` text,
	PRIMARY KEY(`type`, `name`, `vuln`, `location`, `place`)
) WITHOUT ROWID;
