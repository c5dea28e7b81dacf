-- The library of Go has one name, whoever wrote the document (domain/names/purl).
UPDATE OR REPLACE `inventory_matches` SET `name` = 'stdlib' WHERE `kind` = 'package' AND `first` = 'golang' AND `name` = 'std';--> statement-breakpoint
INSERT INTO `inventory_due`(`org_id`, `inventory_id`, `component_id`, `vuln_id`)
  SELECT m.`org_id`, m.`inventory_id`, m.`component_id`, l.`vuln_id` FROM `packages` k CROSS JOIN `vuln_packages` l ON l.`package_id` = k.`id`
  CROSS JOIN `inventory_matches` m ON m.`kind` = 'package' AND m.`first` = k.`type` AND m.`name` = k.`name`
  WHERE k.`type` = 'golang' AND k.`name` = 'stdlib' AND (l.`org_id` IS NULL OR l.`org_id` = m.`org_id`) ON CONFLICT DO NOTHING;
