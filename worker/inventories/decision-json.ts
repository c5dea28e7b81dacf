export const decisionsJson = `(SELECT json_group_array(json_object('author', d.author, 'status', d.status, 'justification', d.justification,
  'note', d.note, 'fix', d.fix, 'owner', d.owner, 'expires_at', d.expires_at, 'decided_at', d.decided_at,
  'by', (SELECT u.username FROM users u WHERE u.id = d.user_id),
  'dismissed_at', d.dismissed_at, 'dismissed_by', (SELECT u.username FROM users u WHERE u.id = d.dismissed_by)))
  FROM inventory_decisions d WHERE d.org_id = f.org_id AND d.inventory_id = f.inventory_id AND d.vuln_id = f.vuln_id AND d.component_id = f.component_id)`

/** `not_interesting` without a justification says nothing of being affected. */
export const statedJson = `(SELECT json_object('justification', s.justification, 'note', s.note) FROM vuln_statuses s
  WHERE s.org_id = f.org_id AND s.vuln_id = f.vuln_id AND s.status = 'not_interesting' AND s.justification IS NOT NULL)`
