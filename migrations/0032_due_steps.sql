CREATE TABLE `due_remakes` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`after_id` integer NOT NULL,
	`done` integer NOT NULL,
	`total` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `orgs`(`id`) ON UPDATE no action ON DELETE cascade
);
