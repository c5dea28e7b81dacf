import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownId } from '../db/columns'
import type { RouteName } from '../domain/alerts/alert-rules'
import { orgId, ownerId, userId, vulnId } from './references'

/** In seconds. A colleague's look does not count for others. Pruned by triage/inbox. */
export const vulnSeen = sqliteTable(
  'vuln_seen',
  { org_id: orgId(), user_id: ownerId(), vuln_id: vulnId(), seen_at: integer().notNull() },
  (t) => [primaryKey({ columns: [t.org_id, t.user_id, t.vuln_id] })],
)

export const comments = sqliteTable(
  'comments',
  {
    id: ownId(),
    org_id: orgId(),
    vuln_id: vulnId(),
    user_id: userId(),
    body: text().notNull(),
    created_at: text().notNull(),
    /** Set when it was edited. */
    updated_at: text(),
  },
  (t) => [index('comments_by_vuln').on(t.org_id, t.vuln_id, t.id)],
)

export const quotas = sqliteTable(
  'quotas',
  {
    org_id: orgId(),
    name: text().$type<'detail_mails' | RouteName>().notNull(),
    day: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.name, t.day] })],
)
