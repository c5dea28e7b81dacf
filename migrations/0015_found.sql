ALTER TABLE `inventories` ADD `tells` text DEFAULT 'each' NOT NULL;--> statement-breakpoint
ALTER TABLE `inventory_vulns` ADD `is_untold` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `inventory_vulns_untold` ON `inventory_vulns` (`org_id`,`vuln_id`) WHERE is_untold = 1;