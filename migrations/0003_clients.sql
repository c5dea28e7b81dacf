ALTER TABLE `exploits` ADD `source_name` text;--> statement-breakpoint
ALTER TABLE `threats` ADD `source_name` text;--> statement-breakpoint
UPDATE `members` SET `manage_metadata` = 1 WHERE NOT EXISTS (
  SELECT 1 FROM `audit_log` a JOIN `users` u ON u.`username` = a.`target`
  WHERE a.`org_id` = `members`.`org_id` AND u.`id` = `members`.`user_id` AND a.`action` = 'user.update'
    AND json_extract(a.`detail`, '$.manage_metadata') = 0);
