import { sql } from 'drizzle-orm'
import type { By } from '../auth/audited-by'
import { removeUserStatements, unlessNeeded } from '../auth/remove-user'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { Actor } from '../domain/people/access'
import { findForgotten, unheardStatements } from '../orgs/unheard'
import { readProved } from './password'

/** The only admin of an organization is told what must happen first. */
export async function removeOwnUser(db: Db, by: By) {
  const { env, now } = by
  const { user, found: alerted, write } = await readProved(db, by, findForgotten(db, by.actor.user_id))
  const statements = [...(await unheardStatements(env, db, alerted, now)), ...removeUserStatements(db, user, now)]
  await unlessNeeded(db, user.id, () => write(statements, { action: 'user.delete', target: user.username }))
  if (alerted.length) await env.DELIVERIES.send({ reason: 'due' })
}

/** Rows about a user, table by table, without any secret; a provider's session reads those of its organization alone. */
function listParts({ user_id, org_id, is_bound }: Pick<Actor, 'user_id' | 'org_id' | 'is_bound'>) {
  const within = (table: string) => (is_bound ? sql`${sql.raw(table)}.org_id = ${org_id}` : sql`TRUE`)
  return {
    user: sql`SELECT id, username, email, email_verified_at, first_name, last_name, is_admin, last_login, created_at, mfa_enabled
    FROM users WHERE id = ${user_id}`,
    memberships: sql`SELECT o.name AS org_name, m.is_admin, m.is_active, m.manage_organization, m.manage_alert_email,
    m.manage_metadata FROM members m JOIN orgs o ON o.id = m.org_id WHERE m.user_id = ${user_id} AND ${within('m')}`,
    sessions: sql`SELECT user_agent, ip, created_at, last_seen, expires_at, revoked_at FROM sessions WHERE user_id = ${user_id}`,
    known_places: sql`SELECT network, last_at FROM known_places WHERE user_id = ${user_id}`,
    passkeys: sql`SELECT name, created_at, last_used_at FROM passkeys WHERE user_id = ${user_id}`,
    api_tokens: sql`SELECT name, prefix, scope, reach, created_at, expires_at, last_used_at FROM api_tokens WHERE user_id = ${user_id} AND ${within('api_tokens')}`,
    providers: sql`SELECT o.name AS org_name, i.subject FROM sso_identities i JOIN orgs o ON o.id = i.org_id
    WHERE i.user_id = ${user_id} AND ${within('i')}`,
    comments: sql`SELECT vuln_id, body, created_at, updated_at FROM comments WHERE user_id = ${user_id} AND ${within('comments')}`,
    statuses: sql`SELECT vuln_id, coalesce(verdict, 'undefined') AS status, at FROM decision_changes
    WHERE user_id = ${user_id} AND scope = 'vulnerability' AND ${within('decision_changes')}`,
    assigned: sql`SELECT vuln_id, decided_at AS at FROM decisions WHERE owner_id = ${user_id} AND scope = 'assignee' AND ${within('decisions')}`,
    looked_at: sql`SELECT vuln_id, datetime(seen_at, 'unixepoch') AS at FROM vuln_seen WHERE user_id = ${user_id} AND ${within('vuln_seen')}`,
    decisions: sql`SELECT o.name AS org_name, i.name AS inventory, c.name AS component, c.version, d.vuln_id, d.scope, d.verdict AS status,
    d.justification, d.note, d.fix, d.owner, d.last_day AS expires_at, d.decided_at, d.ended_at
    FROM decisions d JOIN orgs o ON o.id = d.org_id
    LEFT JOIN inventories i ON i.org_id = d.org_id AND i.id = d.inventory_id
    LEFT JOIN inventory_components c ON c.org_id = d.org_id AND c.inventory_id = d.inventory_id AND c.id = d.component_id
    WHERE d.user_id = ${user_id} AND ${within('d')}`,
    dismissed: sql`SELECT o.name AS org_name, d.vuln_id, d.author, d.ended_at AS dismissed_at FROM decisions d
    JOIN orgs o ON o.id = d.org_id WHERE d.ended_user_id = ${user_id} AND d.scope = 'component' AND ${within('d')}`,
    views: sql`SELECT name, query, is_shared, created_at, updated_at FROM saved_views WHERE user_id = ${user_id} AND ${within('saved_views')}`,
    mails: sql`SELECT kind, subject, status, created_at, sent_at FROM mails
    WHERE "to" = (SELECT lower(email) FROM users WHERE id = ${user_id}) AND NOT ${is_bound}`,
    log: sql`SELECT at, action, target, ip FROM audit_log WHERE actor_id = ${user_id} AND ${within('audit_log')} ORDER BY id DESC LIMIT 10000`,
  }
}

export async function exportOwn(db: Db, actor: Actor) {
  const parts = listParts(actor)
  const names = Object.keys(parts)
  const answers = await db.$client.batch<Record<string, unknown>>(
    Object.values(parts).map((part) => statement(db, part)),
  )
  const [user, ...others] = answers.map(({ results }) => results)
  return { user: user?.[0] ?? {}, ...Object.fromEntries(others.map((found, at) => [names[at + 1] ?? '', found])) }
}
