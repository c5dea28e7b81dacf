-- Plugins of WordPress that Composer gets from a mirror are looked for by their own names, too (exposure/targets).
INSERT INTO `inventory_matches`(`kind`, `first`, `name`, `org_id`, `inventory_id`, `component_id`)
  SELECT `kind`, 'wordpress', substr(`name`, instr(`name`, '/') + 1), `org_id`, `inventory_id`, `component_id` FROM `inventory_matches`
  WHERE `kind` = 'package' AND `first` = 'composer' AND (`name` GLOB 'wpackagist-plugin/?*' OR `name` GLOB 'wp-plugin/?*') ON CONFLICT DO NOTHING;--> statement-breakpoint
INSERT INTO `inventory_due`(`org_id`, `inventory_id`, `component_id`, `vuln_id`)
  SELECT m.`org_id`, m.`inventory_id`, m.`component_id`, l.`vuln_id` FROM `inventory_matches` m
  CROSS JOIN `packages` k ON k.`type` = m.`first` AND k.`name` = m.`name` CROSS JOIN `vuln_packages` l ON l.`package_id` = k.`id`
  WHERE m.`kind` = 'package' AND m.`first` = 'wordpress' AND (l.`org_id` IS NULL OR l.`org_id` = m.`org_id`) ON CONFLICT DO NOTHING;
