-- Components that documents call repositories of GitHub are looked for as actions, too (exposure/targets).
INSERT INTO `inventory_matches`(`kind`, `first`, `name`, `org_id`, `inventory_id`, `component_id`)
  SELECT `kind`, 'githubactions', `name`, `org_id`, `inventory_id`, `component_id` FROM `inventory_matches`
  WHERE `kind` = 'package' AND `first` = 'github' ON CONFLICT DO NOTHING;--> statement-breakpoint
INSERT INTO `inventory_due`(`org_id`, `inventory_id`, `component_id`, `vuln_id`)
  SELECT m.`org_id`, m.`inventory_id`, m.`component_id`, l.`vuln_id` FROM `inventory_matches` g
  CROSS JOIN `inventory_matches` m ON m.`kind` = 'package' AND m.`first` = 'githubactions' AND m.`name` = g.`name` AND m.`org_id` = g.`org_id`
    AND m.`inventory_id` = g.`inventory_id` AND m.`component_id` = g.`component_id`
  CROSS JOIN `packages` k ON k.`type` = m.`first` AND k.`name` = m.`name` CROSS JOIN `vuln_packages` l ON l.`package_id` = k.`id`
  WHERE g.`kind` = 'package' AND g.`first` = 'github' AND (l.`org_id` IS NULL OR l.`org_id` = m.`org_id`) ON CONFLICT DO NOTHING;
