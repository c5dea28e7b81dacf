ALTER TABLE `alert_proofs` ADD `seal` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `members` ADD `urgent_read_ids` text DEFAULT '[]' NOT NULL;