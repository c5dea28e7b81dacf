import { audited } from '../auth/audit'
import type { AuditEntry } from '../auth/audit'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { QuietKind, Waking } from '../domain/snooze'
import { invalid, notFound } from '../http/errors'
import { getActorName } from '../orgs/managed'
import type { By } from '../orgs/managed'
import { requireVuln } from '../watchlist/visible'
import type { Snooze, SnoozeChange } from './snooze-contract'

type Row = {
  kind: QuietKind
  until: string | null
  on_fix: number
  on_kev: number
  on_exploit: number
  epss_above: number | null
  reason: string
  owner_id: number | null
  owner: string | null
  user_id: number | null
  username: string | null
  created_at: string
  woken_at: string | null
  woken_by: Waking | null
}

/** A snooze that ended by its day has ended, whether or not a job noted it. */
export async function findSnooze(db: Db, org_id: number, vuln_id: number, now: Date): Promise<Snooze | null> {
  const row = await db.$client
    .prepare(
      `SELECT z.*, o.username AS owner, u.username FROM vuln_snoozes z
       LEFT JOIN users o ON o.id = z.owner_id LEFT JOIN users u ON u.id = z.user_id
       WHERE z.org_id = ?1 AND z.vuln_id = ?2`,
    )
    .bind(org_id, vuln_id)
    .first<Row>()
  if (!row) return null
  const isOver = row.woken_at === null && row.until !== null && row.until <= stamp(now).slice(0, 10)
  return {
    kind: row.kind,
    until: row.until,
    on_fix: row.on_fix === 1,
    on_kev: row.on_kev === 1,
    on_exploit: row.on_exploit === 1,
    epss_above: row.epss_above,
    reason: row.reason,
    owner: toPerson(row.owner_id, row.owner),
    by: toPerson(row.user_id, row.username),
    created_at: row.created_at,
    woken_by: isOver ? 'date' : row.woken_by,
    woken_at: isOver ? `${row.until}T00:00:00Z` : row.woken_at,
  }
}

const toPerson = (id: number | null, name: string | null) => (id === null || name === null ? null : { id, name })

export async function readSnooze(db: Db, org_id: number, vuln_id: number, now: Date) {
  await requireVuln(db, org_id, vuln_id)
  return { snooze: await findSnooze(db, org_id, vuln_id, now) }
}

export async function saveSnooze(db: Db, vuln_id: number, change: SnoozeChange, by: By) {
  const { org_id, user_id } = by.actor
  const { cveid } = await requireVuln(db, org_id, vuln_id)
  await refuseOver(db, vuln_id, change, by.now)
  const owner_id = change.kind === 'accepted' ? await findOwner(db, org_id, change.owner_id ?? user_id) : null
  const { kind, until = null, on_fix, on_kev, on_exploit, epss_above = null, reason } = change
  const write = db.$client
    .prepare(
      `INSERT INTO vuln_snoozes(org_id, vuln_id, kind, until, on_fix, on_kev, on_exploit, epss_above, reason, owner_id, user_id, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
       ON CONFLICT DO UPDATE SET kind = excluded.kind, until = excluded.until, on_fix = excluded.on_fix, on_kev = excluded.on_kev,
         on_exploit = excluded.on_exploit, epss_above = excluded.epss_above, reason = excluded.reason, owner_id = excluded.owner_id,
         user_id = excluded.user_id, created_at = excluded.created_at, woken_at = NULL, woken_by = NULL`,
    )
    .bind(
      org_id,
      vuln_id,
      kind,
      until,
      Number(on_fix),
      Number(on_kev),
      Number(on_exploit),
      epss_above,
      reason,
      owner_id,
      user_id,
      stamp(by.now),
    )
  const detail = { kind, until, on_fix, on_kev, on_exploit, epss_above, reason, owner_id }
  await writeAudited(db, write, { action: `vuln.${kind}`, target: cveid ?? `PH-${vuln_id}`, detail }, by)
  return { snooze: await findSnooze(db, org_id, vuln_id, by.now) }
}

/** What would have ended already is a mistake. */
async function refuseOver(db: Db, vuln_id: number, { until, epss_above }: SnoozeChange, now: Date) {
  if (until !== undefined && until <= stamp(now).slice(0, 10))
    throw invalid([{ path: ['until'], message: 'The day is in the past' }])
  if (epss_above === undefined) return
  const vuln = await db.$client
    .prepare('SELECT epss FROM vulns WHERE id = ?1')
    .bind(vuln_id)
    .first<{ epss: number | null }>()
  if ((vuln?.epss ?? 0) > epss_above)
    throw invalid([{ path: ['epss_above'], message: `EPSS is ${vuln?.epss} already` }])
}

async function findOwner(db: Db, org_id: number, user_id: number) {
  const member = await db.$client
    .prepare('SELECT user_id FROM members WHERE org_id = ?1 AND user_id = ?2 AND is_active = 1')
    .bind(org_id, user_id)
    .first<{ user_id: number }>()
  if (!member) throw invalid([{ path: ['owner_id'], message: 'The owner is a member of the organization' }])
  return member.user_id
}

export async function wakeByHand(db: Db, vuln_id: number, by: By) {
  const { org_id } = by.actor
  const { cveid } = await requireVuln(db, org_id, vuln_id)
  const found = await findSnooze(db, org_id, vuln_id, by.now)
  if (!found || found.woken_by) throw notFound('Snooze')
  const write = db.$client
    .prepare(
      "UPDATE vuln_snoozes SET woken_at = ?3, woken_by = 'hand' WHERE org_id = ?1 AND vuln_id = ?2 AND woken_at IS NULL",
    )
    .bind(org_id, vuln_id, stamp(by.now))
  await writeAudited(db, write, { action: 'vuln.woken', target: cveid ?? `PH-${vuln_id}`, detail: {} }, by)
  return { status: 'success' as const }
}

type Entry = Pick<AuditEntry, 'action' | 'target' | 'detail'>

async function writeAudited(db: Db, write: D1PreparedStatement, entry: Entry, by: By) {
  const { org_id, user_id: actor_id } = by.actor
  await audited(db, [write], { org_id, actor_id, actor: await getActorName(db, by.actor), ...entry }, by)
}

/** Ends snoozes whose day came, and those for an EPSS that rose without being news. */
export const wakeDue = (db: Db, now: Date) =>
  db.$client
    .prepare(
      `UPDATE vuln_snoozes SET woken_at = ?1, woken_by = iif(until <= ?2, 'date', 'epss') WHERE woken_at IS NULL AND (until <= ?2
         OR epss_above < (SELECT v.epss FROM vulns v WHERE v.id = vuln_snoozes.vuln_id))`,
    )
    .bind(stamp(now), stamp(now).slice(0, 10))
    .run()
