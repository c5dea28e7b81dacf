-- NuGet does not tell letters apart, and documents write a name in several ways.
UPDATE OR IGNORE `packages` SET `name` = lower(`name`) WHERE `type` = 'nuget';--> statement-breakpoint
UPDATE OR IGNORE `vex_statements` SET `name` = lower(`name`) WHERE `type` = 'nuget';--> statement-breakpoint
UPDATE OR IGNORE `awaited` SET `value` = lower(`value`) WHERE `kind` = 'package' AND `value` GLOB 'nuget:*';--> statement-breakpoint
UPDATE OR IGNORE `awaited_names` SET `value` = lower(`value`) WHERE `kind` = 'package' AND `value` GLOB 'nuget:*';--> statement-breakpoint
UPDATE OR REPLACE `inventory_matches` SET `name` = lower(`name`) WHERE `kind` = 'package' AND `first` = 'nuget';--> statement-breakpoint
INSERT INTO `inventory_due`(`org_id`, `inventory_id`, `component_id`, `vuln_id`)
  SELECT m.`org_id`, m.`inventory_id`, m.`component_id`, l.`vuln_id` FROM `packages` k CROSS JOIN `vuln_packages` l ON l.`package_id` = k.`id`
  CROSS JOIN `inventory_matches` m ON m.`kind` = 'package' AND m.`first` = k.`type` AND m.`name` = k.`name`
  WHERE k.`type` = 'nuget' AND (l.`org_id` IS NULL OR l.`org_id` = m.`org_id`) ON CONFLICT DO NOTHING;
