ALTER TABLE `inventory_days` ADD `kev_unknown` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `inventory_days` SET `kev_unknown` = n.`count` FROM (
  SELECT m.`org_id`, m.`inventory_id`, count(*) AS `count` FROM `vulns` v CROSS JOIN `inventory_vulns` m ON m.`vuln_id` = v.`id`
  WHERE v.`is_in_the_wild` = 1 AND v.`kev_added_at` IS NOT NULL AND m.`verdict` = 1 GROUP BY 1, 2) n
WHERE `inventory_days`.`org_id` = n.`org_id` AND `inventory_days`.`inventory_id` = n.`inventory_id`
  AND `inventory_days`.`day` = (SELECT max(d.`day`) FROM `inventory_days` d WHERE d.`org_id` = n.`org_id` AND d.`inventory_id` = n.`inventory_id`);
