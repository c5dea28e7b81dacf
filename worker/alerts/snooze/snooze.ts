import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { auditedBy } from '../../auth/audited-by'
import type { By } from '../../auth/audited-by'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { findDecisionSettings } from '../../decisions/requests'
import { toUndo, writeDecisions } from '../../decisions/write'
import { policies } from '../../domain/access'
import type { QuietKind } from '../../domain/snooze'
import { invalid, needsManager, notFound } from '../../http/errors'
import { users } from '../../schema/auth'
import { decisions } from '../../schema/decisions'
import { members } from '../../schema/orgs'
import { vulns } from '../../schema/vulns'
import { requireVuln } from '../../watchlist/visible'
import type { Snooze, SnoozeChange } from './contract'

const owners = alias(users, 'o')
/** A snooze that ended by its day has ended, whether or not a job noted it. */
export const findSnooze = (db: Db, org_id: number, vuln_id: number, now: Date) =>
  findQuiet(db, org_id, vuln_id, { asked: 'alerts', now })

type Asked = { asked: 'alerts' | 'request'; now: Date }

async function findQuiet(db: Db, org_id: number, vuln_id: number, { asked, now }: Asked): Promise<Snooze | null> {
  const { scope, verdict, note, last_day, on_fix, on_kev, on_exploit, epss_above, ...rest } = decisions
  const row = await db
    .select({
      kind: sql<QuietKind>`${verdict}`.as('kind'),
      reason: sql<string>`coalesce(${note}, '')`.as('reason'),
      last_day,
      on_fix,
      on_kev,
      on_exploit,
      epss_above,
      created_at: rest.decided_at,
      woken_at: rest.ended_at,
      woken_by: rest.ended_by,
      owner_id: rest.owner_id,
      user_id: rest.user_id,
      owner: sql<string | null>`${owners.username}`.as('owner'),
      username: users.username,
    })
    .from(decisions)
    .leftJoin(owners, eq(owners.id, rest.owner_id))
    .leftJoin(users, eq(users.id, rest.user_id))
    .where(and(eq(rest.vuln_id, vuln_id), eq(rest.org_id, org_id), eq(scope, asked)))
    .get()
  if (!row) return null
  const { owner_id, owner, user_id, username, last_day: day, ...snooze } = row
  const until = day === null ? null : moveDay(day, 1)
  const people = { owner: toPerson(owner_id, owner), by: toPerson(user_id, username) }
  const isOver = snooze.woken_at === null && until !== null && until <= stamp(now).slice(0, 10)
  return { ...snooze, until, ...people, ...(isOver && { woken_by: 'date', woken_at: `${until}T00:00:00Z` }) }
}

/** A snooze ends on a day; a decision counts to the end of its last one. */
const moveDay = (day: string, days: number) => stamp(plusSeconds(new Date(day), days * 86_400)).slice(0, 10)

const toPerson = (id: number | null, name: string | null) => (id === null || name === null ? null : { id, name })

export async function findVisibleSnooze(db: Db, org_id: number, vuln_id: number, now: Date) {
  await requireVuln(db, org_id, vuln_id)
  return findBoth(db, org_id, vuln_id, now)
}

/** A risk that waits for an approver is not accepted yet. */
const findBoth = async (db: Db, org_id: number, vuln_id: number, now: Date) => ({
  snooze: await findSnooze(db, org_id, vuln_id, now),
  request: await findQuiet(db, org_id, vuln_id, { asked: 'request', now }),
})

export async function saveSnooze(db: Db, vuln_id: number, change: SnoozeChange, by: By) {
  const { org_id, user_id } = by.actor
  const { cveid } = await requireVuln(db, org_id, vuln_id)
  await requireOwnQuiet(db, vuln_id, change.kind, by)
  await refuseOver(db, vuln_id, change, by.now)
  const owner_id = change.kind === 'accepted' ? await findOwner(db, org_id, change.owner_id ?? user_id) : null
  const { kind, until = null, reason, on_fix, on_kev, on_exploit, epss_above = null } = change
  const ends = { on_fix, on_kev, on_exploit, epss_above }
  const last_day = until && moveDay(until, -1)
  const decision = { verdict: kind, last_day, ...ends, note: reason, owner_id, user_id, decided_at: stamp(by.now) }
  const isAsked = kind === 'accepted' && (await findDecisionSettings(db, org_id)).needs_approver
  const answers = await auditedBy(
    db,
    writeDecisions(db, isAsked ? 'request' : 'alerts', [{ vuln_id, decision }], { org_id, user_id, now: by.now }),
    {
      action: isAsked ? 'risk.request' : `vuln.${kind}`,
      target: cveid ?? `PH-${vuln_id}`,
      detail: { kind, until, ...ends, reason, owner_id },
    },
    by,
  )
  return { ...(await findBoth(db, org_id, vuln_id, by.now)), undo: toUndo(answers).undo }
}

/** A snooze is anybody's; that a risk is accepted is said, changed and ended by whoever may decide for all. */
async function requireOwnQuiet(db: Db, vuln_id: number, kind: Snooze['kind'], { actor, now }: By) {
  if (policies.manageMetadata(actor)) return
  if (kind === 'accepted') throw needsManager('Accept the risk of a vulnerability')
  const found = await findSnooze(db, actor.org_id, vuln_id, now)
  if (found?.kind === 'accepted' && !found.woken_by) throw needsManager('Change or end an accepted risk')
}

/** Refuses a snooze that would end at once. */
async function refuseOver(db: Db, vuln_id: number, { until, epss_above }: SnoozeChange, now: Date) {
  if (until !== undefined && until <= stamp(now).slice(0, 10))
    throw invalid([{ path: ['until'], message: 'The day is in the past' }])
  if (epss_above === undefined) return
  const vuln = await db.select({ epss: vulns.epss }).from(vulns).where(eq(vulns.id, vuln_id)).get()
  if ((vuln?.epss ?? 0) > epss_above)
    throw invalid([{ path: ['epss_above'], message: `EPSS is ${vuln?.epss} already` }])
}

async function findOwner(db: Db, org_id: number, user_id: number) {
  const member = await db
    .select({ user_id: members.user_id })
    .from(members)
    .where(and(eq(members.org_id, org_id), eq(members.user_id, user_id), eq(members.is_active, true)))
    .get()
  if (!member) throw invalid([{ path: ['owner_id'], message: 'The owner is a member of the organization' }])
  return member.user_id
}

export async function wakeByHand(db: Db, vuln_id: number, by: By) {
  const { org_id } = by.actor
  const { cveid } = await requireVuln(db, org_id, vuln_id)
  await requireOwnQuiet(db, vuln_id, 'snoozed', by)
  const found = await findSnooze(db, org_id, vuln_id, by.now)
  if (!found || found.woken_by) throw notFound('Snooze')
  const { until, woken_at: _at, woken_by: _by, owner, by: decider, kind, reason, created_at, ...ends } = found
  const decision = {
    verdict: kind,
    last_day: until && moveDay(until, -1),
    ...ends,
    note: reason,
    decided_at: created_at,
    owner_id: owner?.id ?? null,
    user_id: decider?.id ?? null,
    ended_at: stamp(by.now),
    ended_by: 'hand' as const,
    ended_user_id: by.actor.user_id,
  }
  const answers = await auditedBy(
    db,
    writeDecisions(db, 'alerts', [{ vuln_id, decision }], { org_id, user_id: by.actor.user_id, now: by.now }),
    { action: 'vuln.woken', target: cveid ?? `PH-${vuln_id}`, detail: {} },
    by,
  )
  return { status: 'success' as const, undo: toUndo(answers).undo }
}
