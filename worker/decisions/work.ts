import { and, eq, sql } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { DecisionScope } from '../domain/decisions/decision-scope'
import { Failure, invalid } from '../http/errors'
import { requireLastDay } from '../http/last-day'
import { users } from '../schema/auth'
import { members } from '../schema/orgs'
import { isWatched } from '../watchlist/monitored'
import { requireVuln } from '../watchlist/visible'
import type { StatusChange } from './decide-contract'
import { describeVulns } from './describe'
import { sealUndo } from './undo-token'
import { toChanged, toColumns, writeDecisions, type DecisionBody } from './write'

type Decided = Partial<DecisionBody> & Pick<DecisionBody, 'verdict'>
type Monitored = { id: number; cveid: string | null; is_same: number }

/** Passes over what the organization does not monitor; answers what was set, and the entries that undo it. */
export async function setStatuses(db: Db, ids: number[], { status, ...reason }: StatusChange, by: By) {
  requireLastDay(reason.expires_at, ['expires_at'], by.now)
  const decided = { verdict: status, ...toColumns(reason) }
  const [{ set, other }, write] = await Promise.all([
    findMonitored(db, by.actor.org_id, { scope: 'vulnerability', ids, decided }),
    readyAuditBy(db, by),
  ])
  if (!other.length) return { set, entries: null }
  const detail = { status, justification: decided.justification, expires_at: decided.last_day }
  const answers = await write(writeChanges(db, { scope: 'vulnerability', rows: other, decided }, by), {
    action: 'vuln.status',
    ...describeVulns(other, detail),
  })
  return { set, entries: toChanged(answers).entries }
}

export async function setStatus(db: Db, vuln_id: number, change: StatusChange, by: By) {
  const { set, entries } = await setStatuses(db, [vuln_id], change, by)
  if (!set.length) {
    await requireVuln(db, by.actor.org_id, vuln_id)
    throw new Failure(409, 'not_monitored', 'Only a monitored vulnerability has a status')
  }
  return { status: change.status, undo: await sealUndo(by.env, entries) }
}

/** Passes over what the organization does not monitor; null leaves it to nobody. */
export async function assign(db: Db, ids: number[], { user_id }: { user_id: number | null }, by: By) {
  const { org_id } = by.actor
  const decided = user_id === null ? null : { verdict: 'assigned' as const, owner_id: user_id }
  const [{ set, other }] = await Promise.all([
    findMonitored(db, org_id, { scope: 'assignee', ids, decided }),
    user_id === null ? undefined : requireMember(db, org_id, user_id),
  ])
  if (!other.length) return { set, entries: null }
  const answers = await db.$client.batch(writeChanges(db, { scope: 'assignee', rows: other, decided }, by))
  return { set, entries: toChanged(answers).entries }
}

async function requireMember(db: Db, org_id: number, user_id: number) {
  if (!(await hasMember(db, org_id, user_id)))
    throw invalid([{ path: ['user_id'], message: 'Only a member of the organization can be assigned' }])
}

export async function hasMember(db: Db, org_id: number, user_id: number) {
  const member = await db
    .select({ id: users.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.user_id))
    .where(and(isActiveMember(org_id), eq(users.id, user_id)))
    .get()
  return member !== undefined
}

export const isActiveMember = (org_id: number) =>
  and(eq(members.org_id, org_id), eq(members.is_active, true), eq(users.is_active, true))

type About = { scope: DecisionScope; ids: number[]; decided: Decided | null }

/** Monitored vulnerabilities, and those of them with another decision so far. */
async function findMonitored(db: Db, org_id: number, { scope, ids, decided }: About) {
  const isSame = decided
    ? sql.join(
        Object.entries(decided).map(([name, value]) =>
          name === 'verdict'
            ? sql`coalesce(d.verdict, 'undefined') = ${value}`
            : sql`d.${sql.identifier(name)} IS ${value}`,
        ),
        sql` AND `,
      )
    : sql`d.verdict IS NULL`
  const monitored = await db.all<Monitored>(
    sql`SELECT vulns.id, vulns.cveid, ${isSame} AS is_same FROM vulns
      LEFT JOIN decisions d ON d.vuln_id = vulns.id AND d.org_id = ${org_id} AND d.scope = ${scope}
      WHERE vulns.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${isWatched(sql`${org_id}`, sql`vulns.id`)}`,
  )
  return { set: monitored.map(({ id }) => id), other: monitored.filter(({ is_same }) => !is_same) }
}

type Changing = { scope: DecisionScope; rows: Monitored[]; decided: Decided | null }

function writeChanges(db: Db, { scope, rows, decided }: Changing, { actor, now }: By) {
  const { org_id, user_id } = actor
  const decision = decided && { ...decided, decided_at: stamp(now), user_id }
  const changes = rows.map(({ id }) => ({ vuln_id: id, decision }))
  return writeDecisions(db, scope, changes, { org_id, user_id, now })
}
