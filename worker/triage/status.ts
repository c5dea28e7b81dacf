import { and, desc, eq, sql } from 'drizzle-orm'
import { auditedBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { toUndo, writeDecisions } from '../decisions/write'
import type { VulnStatus } from '../domain/status'
import { users } from '../schema/auth'
import { Failure } from '../http/errors'
import { requireLastDay } from '../http/last-day'
import { decisionChanges, decisions } from '../schema/decisions'
import { requireVuln } from '../watchlist/visible'
import { isMonitored } from '../watchlist/monitored'
import type { StatusChange } from './contract'
import { toPerson } from './person'

const maxHistory = 100
/** Another reason alone is no other status. */
const isOtherStatus = sql`${decisionChanges.verdict} IS NOT ${decisionChanges.before} ->> 'verdict'`

export async function findStatus(db: Db, org_id: number, vuln_id: number) {
  await requireVuln(db, org_id, vuln_id)
  const isOfVuln = and(
    eq(decisions.vuln_id, vuln_id),
    eq(decisions.org_id, org_id),
    eq(decisions.scope, 'vulnerability'),
  )
  const [[row], history] = await db.batch([
    db
      .select({
        status: sql<VulnStatus>`${decisions.verdict}`.as('status'),
        justification: decisions.justification,
        note: decisions.note,
        owner: decisions.owner,
        expires_at: decisions.last_day,
        updated_at: decisions.decided_at,
        user_id: decisions.user_id,
        username: users.username,
      })
      .from(decisions)
      .leftJoin(users, eq(users.id, decisions.user_id))
      .where(isOfVuln),
    db
      .select({
        status: sql<VulnStatus>`coalesce(${decisionChanges.verdict}, 'undefined')`.as('status'),
        at: decisionChanges.at,
        user_id: decisionChanges.user_id,
        username: users.username,
      })
      .from(decisionChanges)
      .leftJoin(users, eq(users.id, decisionChanges.user_id))
      .where(
        and(
          eq(decisionChanges.org_id, org_id),
          eq(decisionChanges.vuln_id, vuln_id),
          eq(decisionChanges.scope, 'vulnerability'),
          isOtherStatus,
        ),
      )
      .orderBy(desc(decisionChanges.id))
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

/** Passes over what the organization does not monitor; answers what was set, and what undoes it. */
export async function setStatuses(db: Db, ids: number[], { status, ...reason }: StatusChange, by: By) {
  const { org_id, user_id } = by.actor
  const decided = {
    verdict: status,
    justification: reason.justification || null,
    note: reason.note || null,
    owner: reason.owner || null,
    last_day: reason.expires_at || null,
  }
  const isSame = sql.join(
    Object.entries(decided).map(([name, value]) =>
      name === 'verdict'
        ? sql`coalesce(d.verdict, 'undefined') = ${value}`
        : sql`d.${sql.identifier(name)} IS ${value}`,
    ),
    sql` AND `,
  )
  const monitored = await db.all<{ id: number; cveid: string | null; is_same: number }>(
    sql`SELECT vulns.id, vulns.cveid, ${isSame} AS is_same FROM vulns
      LEFT JOIN decisions d ON d.vuln_id = vulns.id AND d.org_id = ${org_id} AND d.scope = 'vulnerability'
      WHERE vulns.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${isMonitored(org_id)}`,
  )
  const set = monitored.map(({ id }) => id)
  const other = monitored.filter(({ is_same }) => !is_same)
  if (!other.length) return { set, undo: null }
  const decision = { ...decided, decided_at: stamp(by.now), user_id }
  const changes = other.map(({ id }) => ({ vuln_id: id, decision }))
  const answers = await auditedBy(
    db,
    writeDecisions(db, 'vulnerability', changes, { org_id, user_id, now: by.now }),
    { action: 'vuln.status', ...describeStatus(other, { status, ...reason }) },
    by,
  )
  return { set, undo: toUndo(answers).undo }
}

/** So many are named; the number tells of all. */
const maxNamed = 20

function describeStatus(
  vulns: { id: number; cveid: string | null }[],
  { status, justification, expires_at }: StatusChange,
) {
  const names = vulns.slice(0, maxNamed).map(({ id, cveid }) => cveid ?? `PH-${id}`)
  const detail = { status, justification: justification ?? null, expires_at: expires_at ?? null }
  if (vulns.length === 1) return { target: names.join(), detail }
  return { target: `${vulns.length} vulnerabilities`, detail: { ...detail, first: names } }
}

export async function setStatus(db: Db, vuln_id: number, change: StatusChange, by: By) {
  requireLastDay(change.expires_at, ['expires_at'], by.now)
  await requireVuln(db, by.actor.org_id, vuln_id)
  const { set, undo } = await setStatuses(db, [vuln_id], change, by)
  if (!set.length) throw new Failure(409, 'not_monitored', 'Only a monitored vulnerability has a status')
  return { status: change.status, undo }
}
