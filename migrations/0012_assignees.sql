-- Whose work a vulnerability is stands in the one table; `vuln_assignees` is not read any more, and a later landing drops it.
INSERT INTO `decisions`(`vuln_id`, `org_id`, `scope`, `verdict`, `owner_id`, `decided_at`)
SELECT `vuln_id`, `org_id`, 'assignee', 'assigned', `user_id`, `at` FROM `vuln_assignees`;
