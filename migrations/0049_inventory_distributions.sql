ALTER TABLE `inventories` ADD `distributions` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
UPDATE `inventories` SET `distributions` = (SELECT json_group_array(json_array(purl, packages)) FROM (
  SELECT min(purl) AS purl, count(*) AS packages FROM (
    SELECT purl, substr(purl, instr(purl, 'distro=') + 7) AS distro FROM `inventory_components`
    WHERE org_id = `inventories`.`org_id` AND inventory_id = `inventories`.`id` AND instr(purl, 'distro=') > 0)
  GROUP BY CASE instr(distro, '&') WHEN 0 THEN distro ELSE substr(distro, 1, instr(distro, '&') - 1) END
  ORDER BY packages DESC, purl LIMIT 50));
