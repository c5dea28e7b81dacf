export const organizationNames = ['alder', 'birch', 'cedar'] as const
export const commonPassword = 'Correct-horse-9-battery'
/** Of that password, made cheap as all are in stories. */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$5F0R8WvmVt8wXFGulm1fmpTzmLDxis2dyGrdAEkelz0'

const at = "'2026-01-01T00:00:00Z'"
const name = (of: string) => `json_each('${JSON.stringify(of.split(' '))}')`
/** An admin and a member each; the first has one view and token less than a person may have. */
export const foundingStatements = [
  `INSERT INTO orgs(name, slug, created_at) SELECT value, value, ${at} FROM ${name(organizationNames.join(' '))}`,
  `INSERT INTO alert_settings(org_id, alerts_emails) SELECT id, json_array(name || '@' || name || '.test') FROM orgs`,
  `INSERT INTO alert_addresses(org_id, email, confirmed_at) SELECT id, name || '@' || name || '.test', ${at} FROM orgs`,
  `INSERT INTO users(username, email, password_hash, created_at, email_verified_at)
   SELECT name || '-' || value, name || '-' || value || '@' || name || '.test', '${passwordHash}', ${at}, ${at}
   FROM orgs CROSS JOIN ${name('boss member')}`,
  `INSERT INTO members(org_id, user_id, is_admin)
   SELECT o.id, u.id, u.username LIKE '%-boss' FROM orgs o JOIN users u ON u.username LIKE o.name || '-%'`,
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
   INSERT INTO saved_views(org_id, user_id, name, query, is_shared, created_at, updated_at)
   SELECT 1, 1, 'Old ' || i, '', 0, '2026', '2026' FROM n`,
  `INSERT INTO api_tokens(org_id, user_id, name, prefix, token_hash, scope, created_at)
   SELECT org_id, user_id, 'old', '', id, 'read', '2026' FROM saved_views`,
]
