import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { ownId, keyedTable } from '../db/columns'
import type { RouteName } from '../domain/alerts/alert-rules'
import { orgId } from './orgs'
import { ownerId, userId } from './auth'
import { vulnId } from './vulns'

/** In seconds. A colleague's look does not count for others. Pruned by triage/inbox. */
export const vulnSeen = keyedTable('vuln_seen', ['org_id', 'user_id', 'vuln_id'], {
  org_id: orgId(),
  user_id: ownerId(),
  vuln_id: vulnId(),
  seen_at: integer().notNull(),
})

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

export const quotas = keyedTable('quotas', ['org_id', 'name', 'day'], {
  org_id: orgId(),
  name: text().$type<'detail_mails' | RouteName>().notNull(),
  day: text().notNull(),
  used: integer().notNull(),
})
