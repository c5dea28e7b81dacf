CREATE TABLE `prunings` (
	`name` text PRIMARY KEY NOT NULL,
	`after` text NOT NULL
);
