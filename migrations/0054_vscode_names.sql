-- The marketplace writes `nrwl.angular-console` and does not tell letters apart, a purl `nrwl/angular-console`.
UPDATE OR IGNORE `packages` SET `name` = lower(iif(instr(`name`, '/') = 0 AND instr(`name`, '.') > 1,
  substr(`name`, 1, instr(`name`, '.') - 1) || '/' || substr(`name`, instr(`name`, '.') + 1), `name`)) WHERE `type` = 'vscode-extension';--> statement-breakpoint
UPDATE OR REPLACE `inventory_matches` SET `name` = lower(`name`) WHERE `kind` = 'package' AND `first` = 'vscode-extension';--> statement-breakpoint
INSERT INTO `inventory_due`(`org_id`, `inventory_id`, `component_id`, `vuln_id`)
  SELECT m.`org_id`, m.`inventory_id`, m.`component_id`, l.`vuln_id` FROM `packages` k CROSS JOIN `vuln_packages` l ON l.`package_id` = k.`id`
  CROSS JOIN `inventory_matches` m ON m.`kind` = 'package' AND m.`first` = k.`type` AND m.`name` = k.`name`
  WHERE k.`type` = 'vscode-extension' AND (l.`org_id` IS NULL OR l.`org_id` = m.`org_id`) ON CONFLICT DO NOTHING;
