ALTER TABLE `mails` ADD `org_id` integer;
--> statement-breakpoint
UPDATE `mails` SET `org_id` = k.org_id FROM (
  SELECT email, min(org_id) AS org_id FROM (
    SELECT lower(u.email) AS email, m.org_id FROM members m JOIN users u ON u.id = m.user_id
    UNION SELECT lower(email), org_id FROM links WHERE org_id IS NOT NULL
    UNION SELECT lower(email), org_id FROM alert_addresses)
  GROUP BY email HAVING count(*) = 1) k
WHERE `mails`.`to` = k.email
  AND `mails`.kind NOT IN ('security', 'new_device', 'email_change', 'reset', 'trial', 'account_exists', 'newsletter', 'alarm');
