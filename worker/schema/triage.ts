import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { channelNames } from '../domain/alert-rules'
import { vulnStatuses } from '../domain/status'
import { vexJustifications } from '../domain/vex'
import { orgId, ownerId, userId, vulnId } from './references'

/** Without a row the status is undefined. */
export const orgStatuses = sqliteTable(
  'vuln_statuses',
  {
    org_id: orgId(),
    vuln_id: vulnId(),
    status: text({ enum: vulnStatuses }).notNull(),
    updated_at: text().notNull(),
    user_id: userId(),
    /** Why it does not concern the organization: without one, `not_interesting` says nothing of being affected. */
    justification: text({ enum: vexJustifications }),
    note: text(),
    /** The person or team that sees to it. */
    owner: text(),
    /** The last day on which the status counts. */
    expires_at: text(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.vuln_id] }),
    index('vuln_statuses_by_status').on(t.org_id, t.status, t.vuln_id),
  ],
)

/** A member who leaves the organization leaves the vulnerability to nobody. */
export const vulnAssignees = sqliteTable(
  'vuln_assignees',
  { org_id: orgId(), vuln_id: vulnId(), user_id: ownerId(), at: text().notNull() },
  (t) => [primaryKey({ columns: [t.org_id, t.vuln_id] })],
)

/** In seconds. A colleague's look does not count for others. Pruned by triage/inbox. */
export const vulnSeen = sqliteTable(
  'vuln_seen',
  { org_id: orgId(), user_id: ownerId(), vuln_id: vulnId(), seen_at: integer().notNull() },
  (t) => [primaryKey({ columns: [t.org_id, t.user_id, t.vuln_id] })],
)

export const vulnStatusChanges = sqliteTable(
  'vuln_status_changes',
  {
    id: integer().primaryKey(),
    org_id: orgId(),
    vuln_id: vulnId(),
    status: text({ enum: vulnStatuses }).notNull(),
    at: text().notNull(),
    user_id: userId(),
  },
  (t) => [index('vuln_status_changes_by_vuln').on(t.org_id, t.vuln_id, t.id)],
)

export const comments = sqliteTable(
  'comments',
  {
    id: integer().primaryKey(),
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
    name: text({ enum: ['detail_mails', ...channelNames] }).notNull(),
    day: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.name, t.day] })],
)
