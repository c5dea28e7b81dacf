import { and, asc, eq, sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import { readFlags, type Flagged } from '../db/flags'
import type { Db } from '../db/open'
import { prune } from '../db/prune'
import { formatSeconds, stamp } from '../db/time'
import { isSleeping } from '../schema/decisions'
import { isActiveMember } from '../decisions/work'
import { users } from '../schema/auth'
import { members } from '../schema/orgs'
import { vulnSeen } from '../schema/triage'
import { vulns } from '../schema/vulns'
import { isMonitored } from '../watchlist/monitored'
import { isVisible } from '../watchlist/visible'
import type { Member } from './comments'
import type { VulnMarks } from './inbox-contract'
import { toPerson } from '../decisions/describe'

/** A vulnerability without a change for so long counts as read. */
const unreadDays = 90
/** The inbox forgets after this time who looked, as the history of statuses does. */
const seenDays = 730
const day_s = 86_400
const toSeconds = (now: Date) => Math.floor(now.getTime() / 1000)

type Row = Flagged<Omit<VulnMarks, 'assignee' | 'seen_at'>, 'is_unread' | 'is_snoozed'> & {
  user_id: number | null
  username: string | null
  seen: number | null
}

/** For each vulnerability that the organization may know of, beside the row of the list. */
export async function findMarks(db: Db, { org_id, user_id }: Member, ids: number[], now: Date) {
  const oldest = toSeconds(now) - unreadDays * day_s
  const found = await db.all<Row>(sql`
    SELECT vulns.id, coalesce(s.verdict, 'undefined') AS status, a.owner_id AS user_id, u.username, r.seen_at AS seen,
      ${isSleeping(sql`${org_id}`, sql`vulns.id`, stamp(now))} AS is_snoozed,
      ${isMonitored(org_id)} AND vulns.updated_at > max(coalesce(r.seen_at, 0), ${oldest}) AS is_unread
    FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN vulns ON vulns.id = j.value
    LEFT JOIN decisions s ON s.vuln_id = vulns.id AND s.org_id = ${org_id} AND s.scope = 'vulnerability'
    LEFT JOIN decisions a ON a.vuln_id = vulns.id AND a.org_id = ${org_id} AND a.scope = 'assignee' LEFT JOIN users u ON u.id = a.owner_id
    LEFT JOIN vuln_seen r ON r.org_id = ${org_id} AND r.user_id = ${user_id} AND r.vuln_id = vulns.id
    WHERE ${isVisible(org_id)}`)
  return found.map(({ user_id: assignee_id, username, seen, ...row }): VulnMarks => ({
    ...readFlags(row, 'is_unread', 'is_snoozed'),
    seen_at: seen === null ? null : formatSeconds(seen),
    assignee: toPerson(assignee_id, username),
  }))
}

const maxAssignees = 500

export const findAssignees = (db: Db, org_id: number) =>
  db
    .select({ id: users.id, name: users.username })
    .from(members)
    .innerJoin(users, eq(users.id, members.user_id))
    .where(isActiveMember(org_id))
    .orderBy(asc(sql`lower(${users.username})`))
    .limit(maxAssignees)

/** Also for what nobody monitors: its page tells what changed since the last look. */
export async function setSeen(
  db: Db,
  { org_id, user_id }: Member,
  ids: number[],
  { is_seen, now }: { is_seen: boolean; now: Date },
) {
  const visible = await db
    .select({ id: vulns.id })
    .from(vulns)
    .where(and(isVisible(org_id), sql`${vulns.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`))
  const chosen = visible.map(({ id }) => id)
  const write = is_seen
    ? `INSERT INTO vuln_seen(org_id, user_id, vuln_id, seen_at) SELECT ?2, ?3, value, ?4 FROM jsonb_each(?1) WHERE TRUE
       ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`
    : `DELETE FROM vuln_seen WHERE org_id = ?2 AND user_id = ?3 AND seen_at <= ?4
       AND vuln_id IN (SELECT value FROM jsonb_each(?1))`
  const statements = bulk(db, write, chosen, org_id, user_id, toSeconds(now))
  if (statements.length) await db.$client.batch(statements)
}

export const pruneSeen = (db: Db, now: Date) =>
  prune(db, [
    {
      table: vulnSeen,
      key: [vulnSeen.org_id, vulnSeen.user_id, vulnSeen.vuln_id],
      isOld: sql`${vulnSeen.seen_at} < ${toSeconds(now) - seenDays * day_s}`,
    },
  ])
