import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusDays, stamp, toDay } from '../../db/time'
import { literal } from '../../db/values'
import { toBits } from '../../domain/alerts/alert-rules'
import type { Actor } from '../../domain/people/access'
import { maxUnread, type UrgentNews } from './contract'

const shownDays = 7
const shownAlerts = 20
const maxSummary = 200
/** Of so many of its newest alerts we see whether something urgent joined. */
const lookedAt = 50
/** Urgent ones are looked for among so many of the newest. */
const window = 2_000

const urgentBits = toBits(['malicious', 'cleared', 'cra', 'kev', 'exploitable'])
const isUrgent = sql`(a.fired & ${literal(urgentBits)} <> 0 OR a.rule IN ('score', 'cvss', 'cvss3'))
  AND (a.suppressed IS NULL OR a.suppressed NOT IN ('settled', 'snoozed', 'accepted', 'left_out'))`

/** Nobody who is only a guest of the organization has anything unread. */
const readTo = ({ org_id, user_id }: Actor) =>
  sql`coalesce((SELECT urgent_read_to FROM members WHERE org_id = ${org_id} AND user_id = ${user_id}), ${literal(Number.MAX_SAFE_INTEGER)})`

/** Of so many read singly we know it; they are the newest. */
const maxSingle = 100
const readIds = ({ org_id, user_id }: Actor) =>
  sql`coalesce((SELECT urgent_read_ids FROM members WHERE org_id = ${org_id} AND user_id = ${user_id}), '[]')`

const newestAlerts = (org_id: number) =>
  sql`(SELECT id, updated_at, fired, suppressed, acknowledged_at FROM alerts WHERE org_id = ${org_id} ORDER BY created_at DESC, id DESC LIMIT ${literal(lookedAt)})`

/** Changes whenever the answer for this person may: some fifty rows tell, where the answer reads thousands. */
export async function findUrgentVersion(db: Db, actor: Actor, now: Date) {
  const { org_id, user_id } = actor
  // Within a second a change may join an alert: its rules tell.
  const newest = await db.get<Record<string, number | string | null>>(sql`
    SELECT max(id) AS id, max(updated_at) AS at, sum(fired) AS fired, count(suppressed) AS settled, count(acknowledged_at) AS acknowledged, ${readTo(actor)} AS read_to, ${readIds(actor)} AS read_ids
    FROM ${newestAlerts(org_id)}`)
  return JSON.stringify([org_id, user_id, newest, toDay(now)])
}

export async function findUrgentNews(db: Db, actor: Actor, now: Date): Promise<UrgentNews> {
  const since = stamp(plusDays(now, -shownDays))
  const urgent = sql`(SELECT a.id, a.vuln_id, a.rule, a.created_at, a.id > ${readTo(actor)} AND a.id NOT IN (SELECT value FROM json_each(${readIds(actor)})) AND a.acknowledged_at IS NULL AS is_unread
    FROM (SELECT * FROM alerts WHERE org_id = ${actor.org_id} AND created_at >= ${since}
      ORDER BY created_at DESC, id DESC LIMIT ${literal(window)}) a
    WHERE ${isUrgent} LIMIT ${literal(maxUnread + 1)})`
  const [rows, counted] = await Promise.all([
    db.all<Row>(sql`SELECT u.id, u.rule, u.created_at, u.is_unread, u.vuln_id, v.cveid,
      substr(v.summary, 1, ${literal(maxSummary)}) AS summary
      FROM ${urgent} u JOIN vulns v ON v.id = u.vuln_id ORDER BY u.created_at DESC, u.id DESC LIMIT ${literal(shownAlerts)}`),
    db.get<{ unread: number }>(sql`SELECT coalesce(sum(is_unread), 0) AS unread FROM ${urgent}`),
  ])
  return {
    unread: counted?.unread ?? 0,
    results: rows.map(({ id, rule, created_at, is_unread, vuln_id, cveid, summary }) => ({
      id,
      rule,
      created_at,
      is_unread: Boolean(is_unread),
      vuln: { id: vuln_id, cveid, summary },
    })),
  }
}

type Row = Pick<UrgentNews['results'][number], 'id' | 'rule' | 'created_at'> &
  Omit<UrgentNews['results'][number]['vuln'], 'id'> & { is_unread: number; vuln_id: number }

/** Later alerts stay unread. */
export const setUrgentRead = (db: Db, { org_id, user_id }: Actor, id: number) =>
  db.run(sql`
    UPDATE members SET urgent_read_to = max(urgent_read_to, min(${id}, (SELECT coalesce(max(id), 0) FROM ${newestAlerts(org_id)})))
    WHERE org_id = ${org_id} AND user_id = ${user_id}`)

export const setOneRead = (db: Db, { org_id, user_id }: Actor, id: number) =>
  db.run(sql`
    UPDATE members SET urgent_read_ids = (SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(urgent_read_ids) UNION SELECT id FROM alerts WHERE id = ${id} AND org_id = ${org_id}
      ORDER BY value DESC LIMIT ${literal(maxSingle)}) WHERE value > urgent_read_to)
    WHERE org_id = ${org_id} AND user_id = ${user_id}`)

/** Of a JSON array of alerts that something urgent joined: their readers read less. Later ones that were read become singly read. */
export const unreadUrgent = (json: string) => sql`
  UPDATE members SET urgent_read_to = min(urgent_read_to, r.first - 1), urgent_read_ids = (SELECT json_group_array(id) FROM (
    SELECT value AS id FROM json_each(urgent_read_ids) WHERE value NOT IN (SELECT value FROM json_each(r.ids))
    UNION SELECT a.id FROM alerts a WHERE a.org_id = members.org_id AND a.created_at >= r.since AND a.id > r.first AND a.id <= urgent_read_to
      AND a.id NOT IN (SELECT value FROM json_each(r.ids)) AND ${isUrgent}
    ORDER BY id DESC LIMIT ${literal(maxSingle)}))
  FROM (SELECT org_id, min(id) AS first, min(created_at) AS since, json_group_array(id) AS ids
    FROM alerts WHERE id IN (SELECT value FROM json_each(${json})) GROUP BY org_id) r
  WHERE members.org_id = r.org_id`
