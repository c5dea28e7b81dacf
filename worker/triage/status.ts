import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { users } from '../schema/auth'
import { Failure } from '../http/errors'
import { requireLastDay } from '../http/last-day'
import { vulnStatusChanges, orgStatuses } from '../schema/triage'
import { requireVuln } from '../watchlist/visible'
import { isMonitored } from '../watchlist/monitored'
import type { StatusChange } from './contract'
import { toPerson } from './person'

const maxHistory = 100

export async function findStatus(db: Db, org_id: number, vuln_id: number) {
  await requireVuln(db, org_id, vuln_id)
  const isOfVuln = and(eq(orgStatuses.org_id, org_id), eq(orgStatuses.vuln_id, vuln_id))
  const [[row], history] = await db.batch([
    db
      .select({
        status: orgStatuses.status,
        justification: orgStatuses.justification,
        note: orgStatuses.note,
        owner: orgStatuses.owner,
        expires_at: orgStatuses.expires_at,
        updated_at: orgStatuses.updated_at,
        user_id: orgStatuses.user_id,
        username: users.username,
      })
      .from(orgStatuses)
      .leftJoin(users, eq(users.id, orgStatuses.user_id))
      .where(isOfVuln),
    db
      .select({
        status: vulnStatusChanges.status,
        at: vulnStatusChanges.at,
        user_id: vulnStatusChanges.user_id,
        username: users.username,
      })
      .from(vulnStatusChanges)
      .leftJoin(users, eq(users.id, vulnStatusChanges.user_id))
      .where(and(eq(vulnStatusChanges.org_id, org_id), eq(vulnStatusChanges.vuln_id, vuln_id)))
      .orderBy(desc(vulnStatusChanges.id))
      .limit(maxHistory),
  ])
  return {
    status: row?.status ?? ('undefined' as const),
    updated_at: row?.updated_at ?? null,
    by: row ? toPerson(row) : null,
    justification: row?.justification ?? null,
    note: row?.note ?? null,
    owner: row?.owner ?? null,
    expires_at: row?.expires_at ?? null,
    history: history.map(({ status, at, ...person }) => ({ status, at, by: toPerson(person) })),
  }
}

type Setting = { org_id: number; user_id: number; now: Date } & StatusChange

const reasons = ['justification', 'note', 'owner', 'expires_at'] as const
const isOther = ['status', ...reasons].map((name) => `excluded.${name} IS NOT vuln_statuses.${name}`).join(' OR ')

/** Passes over what the organization does not monitor; answers what was set. */
export async function setStatuses(db: Db, ids: number[], { org_id, user_id, status, now, ...reason }: Setting) {
  const monitored = await db.all<{ id: number }>(
    sql`SELECT vulns.id FROM vulns WHERE vulns.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${isMonitored(org_id)}`,
  )
  const set = monitored.map(({ id }) => id)
  if (set.length)
    await db.$client.batch([
      ...bulk(
        db,
        `INSERT INTO vuln_status_changes(org_id, vuln_id, status, at, user_id)
         SELECT ?2, j.value, ?3, ?4, ?5 FROM jsonb_each(?1) j
         WHERE coalesce((SELECT s.status FROM vuln_statuses s WHERE s.org_id = ?2 AND s.vuln_id = j.value), 'undefined') <> ?3`,
        set,
        org_id,
        status,
        stamp(now),
        user_id,
      ),
      ...bulk(
        db,
        `INSERT INTO vuln_statuses(org_id, vuln_id, status, updated_at, user_id, ${reasons.join(', ')})
         SELECT ?2, value, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM jsonb_each(?1) WHERE TRUE
         ON CONFLICT DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at, user_id = excluded.user_id,
           ${reasons.map((name) => `${name} = excluded.${name}`).join(', ')} WHERE ${isOther}`,
        set,
        org_id,
        status,
        stamp(now),
        user_id,
        ...reasons.map((name) => reason[name] || null),
      ),
    ])
  return set
}

export async function setStatus(db: Db, vuln_id: number, setting: Setting) {
  requireLastDay(setting.expires_at, ['expires_at'], setting.now)
  await requireVuln(db, setting.org_id, vuln_id)
  const [set] = await setStatuses(db, [vuln_id], setting)
  if (set === undefined) throw new Failure(409, 'not_monitored', 'Only a monitored vulnerability has a status')
  return setting.status
}

/** A status counts to the end of its last day; the history says that it ended. */
export async function endStatuses(db: Db, now: Date) {
  const isEnded = lt(orgStatuses.expires_at, stamp(now).slice(0, 10))
  await db.$client.batch([
    statement(
      db,
      sql`INSERT INTO vuln_status_changes(org_id, vuln_id, status, at, user_id)
        SELECT org_id, vuln_id, 'undefined', ${stamp(now)}, NULL FROM vuln_statuses WHERE ${isEnded}`,
    ),
    statement(db, db.delete(orgStatuses).where(isEnded)),
  ])
}

/** The history of statuses is kept for two years, as the audit log is; the status itself stays. */
const historyDays = 730

/** Rows stand in order of time, so it reads what it removes and one more. */
export const pruneStatusHistory = (db: Db, now: Date) =>
  db.run(sql`
    DELETE FROM vuln_status_changes WHERE id < coalesce(
      (SELECT id FROM vuln_status_changes WHERE at >= ${stamp(plusSeconds(now, -historyDays * 86_400))}
       ORDER BY id LIMIT 1), 9223372036854775807)`)
