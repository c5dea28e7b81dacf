ALTER TABLE `inventories` ADD `uncompared_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `inventories` ADD `findings_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `inventories` ADD `pending_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `inventory_days` ADD `closed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `inventory_due` ADD `noted` integer DEFAULT 0 NOT NULL;