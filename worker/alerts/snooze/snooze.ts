import { and, eq, getTableColumns, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { audited } from '../../auth/audit'
import type { AuditEntry } from '../../auth/audit'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { invalid, notFound } from '../../http/errors'
import { getActorName } from '../../orgs/managed-orgs'
import type { By } from '../../orgs/managed-orgs'
import { vulnSnoozes } from '../../schema/alerts'
import { users } from '../../schema/auth'
import { members } from '../../schema/orgs'
import { vulns } from '../../schema/vulns'
import { requireVuln } from '../../watchlist/visible'
import type { Snooze, SnoozeChange } from './contract'

const owners = alias(users, 'o')
const isSnooze = (org_id: number, vuln_id: number) =>
  and(eq(vulnSnoozes.org_id, org_id), eq(vulnSnoozes.vuln_id, vuln_id))

/** A snooze that ended by its day has ended, whether or not a job noted it. */
export async function findSnooze(db: Db, org_id: number, vuln_id: number, now: Date): Promise<Snooze | null> {
  const row = await db
    .select({
      ...getTableColumns(vulnSnoozes),
      owner: sql<string | null>`${owners.username}`.as('owner'),
      username: users.username,
    })
    .from(vulnSnoozes)
    .leftJoin(owners, eq(owners.id, vulnSnoozes.owner_id))
    .leftJoin(users, eq(users.id, vulnSnoozes.user_id))
    .where(isSnooze(org_id, vuln_id))
    .get()
  if (!row) return null
  const { org_id: _org, vuln_id: _vuln, owner_id, owner, user_id, username, ...snooze } = row
  const people = { owner: toPerson(owner_id, owner), by: toPerson(user_id, username) }
  const isOver = row.woken_at === null && row.until !== null && row.until <= stamp(now).slice(0, 10)
  return { ...snooze, ...people, ...(isOver && { woken_by: 'date', woken_at: `${row.until}T00:00:00Z` }) }
}

const toPerson = (id: number | null, name: string | null) => (id === null || name === null ? null : { id, name })

export async function findVisibleSnooze(db: Db, org_id: number, vuln_id: number, now: Date) {
  await requireVuln(db, org_id, vuln_id)
  return { snooze: await findSnooze(db, org_id, vuln_id, now) }
}

export async function saveSnooze(db: Db, vuln_id: number, change: SnoozeChange, by: By) {
  const { org_id, user_id } = by.actor
  const { cveid } = await requireVuln(db, org_id, vuln_id)
  await refuseOver(db, vuln_id, change, by.now)
  const owner_id = change.kind === 'accepted' ? await findOwner(db, org_id, change.owner_id ?? user_id) : null
  const { kind, until = null, on_fix, on_kev, on_exploit, epss_above = null, reason } = change
  const ends = { until, on_fix, on_kev, on_exploit, epss_above }
  const row = { kind, ...ends, reason, owner_id, user_id, created_at: stamp(by.now), woken_at: null, woken_by: null }
  const write = statement(
    db,
    db
      .insert(vulnSnoozes)
      .values({ org_id, vuln_id, ...row })
      .onConflictDoUpdate({ target: [vulnSnoozes.vuln_id, vulnSnoozes.org_id], set: row }),
  )
  const detail = { kind, ...ends, reason, owner_id }
  await writeAudited(db, write, { action: `vuln.${kind}`, target: cveid ?? `PH-${vuln_id}`, detail }, by)
  return { snooze: await findSnooze(db, org_id, vuln_id, by.now) }
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
  const found = await findSnooze(db, org_id, vuln_id, by.now)
  if (!found || found.woken_by) throw notFound('Snooze')
  const write = statement(
    db,
    db
      .update(vulnSnoozes)
      .set({ woken_at: stamp(by.now), woken_by: 'hand' })
      .where(and(isSnooze(org_id, vuln_id), isNull(vulnSnoozes.woken_at))),
  )
  await writeAudited(db, write, { action: 'vuln.woken', target: cveid ?? `PH-${vuln_id}`, detail: {} }, by)
  return { status: 'success' as const }
}

type Entry = Pick<AuditEntry, 'action' | 'target' | 'detail'>

async function writeAudited(db: Db, write: D1PreparedStatement, entry: Entry, by: By) {
  const { org_id, user_id: actor_id } = by.actor
  await audited(db, [write], { org_id, actor_id, actor: await getActorName(db, by.actor), ...entry }, by)
}

/** Ends snoozes whose day came, and those for an EPSS that rose without being news. */
export const wakeDue = (db: Db, now: Date) => {
  const { vuln_id, until, epss_above, woken_at } = vulnSnoozes
  const isDayCome = lte(until, stamp(now).slice(0, 10))
  const epss = db.select({ epss: vulns.epss }).from(vulns).where(eq(vulns.id, vuln_id))
  return db
    .update(vulnSnoozes)
    .set({ woken_at: stamp(now), woken_by: sql`iif(${isDayCome}, 'date', 'epss')` })
    .where(and(isNull(woken_at), or(isDayCome, lt(epss_above, epss))))
    .run()
}
