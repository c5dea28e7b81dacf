import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { getDataKey, sign } from '../../auth/data-keys'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { plusDays, shiftDay, stamp, toDay } from '../../db/time'
import { valuesTable } from '../../db/values'
import type { Env } from '../../env'
import { findSeqBefore } from '../change-log'
import type { SealCheck } from './contract'

/** Of the ledger of a day, under a key that is stored encrypted; `prev` is that of the day before it which has one. */
type DaySeal = Digests & {
  prev: string
  /** Messages that nobody had yet: they may still go out. */
  open: number[]
  at: string
  hash: string
}
const digestNames = ['changes', 'alerts', 'messages'] as const
type Digests = Record<(typeof digestNames)[number], string>

/** An escalation, a try or a recount of the proof changes nothing of a day that is older. */
const sealAfterDays = 4
/** A night that nobody worked is made up for so long. */
const lateDays = 10
const orgsAtOnce = 25
const entriesAtOnce = 5_000

/** After the proofs of the night: closes the days that change no more, the oldest first. */
export async function sealDays(env: Env, db: Db, now: Date) {
  const [first, last] = [lateDays, sealAfterDays].map((ago) => toDay(plusDays(now, -ago)))
  const days = await db.all<{ day: string }>(sql`
    SELECT DISTINCT day FROM alert_proofs WHERE seal = '' AND day BETWEEN ${first} AND ${last} ORDER BY day`)
  for (const { day } of days) await sealDay(env, db, day, now)
}

type Open = { org_id: number; body: string; prev: string }

async function sealDay(env: Env, db: Db, day: string, now: Date) {
  const key = await getDataKey(env, db, 'audit')
  const changes = await digestChanges(db, day)
  const open = await db.all<Open>(sql`
    SELECT p.org_id, p.body, coalesce((SELECT b.seal ->> 'hash' FROM alert_proofs b WHERE b.org_id = p.org_id AND b.day < p.day AND b.seal <> ''
      ORDER BY b.day DESC LIMIT 1), '') AS prev
    FROM alert_proofs p WHERE p.day = ${day} AND p.seal = ''
      AND NOT EXISTS (SELECT 1 FROM alert_proofs l WHERE l.org_id = p.org_id AND l.day > p.day AND l.seal <> '') ORDER BY p.org_id`)
  for (let at = 0; at < open.length; at += orgsAtOnce) {
    const chunk = open.slice(at, at + orgsAtOnce)
    const ledgers = await readLedgers(
      db,
      chunk.map(({ org_id }) => org_id),
      day,
    )
    const rows = await Promise.all(
      chunk.map(async ({ org_id, body, prev }) => {
        const { alerts, messages } = ledgers(org_id)
        const unsent = messages.filter(({ sent_at }) => sent_at === null).map(({ id }) => id)
        const made = { prev, changes, alerts: digest(alerts), open: unsent, at: stamp(now) }
        const seal = { ...made, messages: digestMessages(messages, made) }
        return [org_id, day, JSON.stringify({ ...seal, hash: await hashSeal(key, { org_id, day, body }, seal) })]
      }),
    )
    const statements = bulk(
      db,
      `UPDATE alert_proofs SET seal = v.value ->> 2 FROM jsonb_each(?1) v
       WHERE org_id = v.value ->> 0 AND day = v.value ->> 1 AND seal = ''`,
      rows,
    )
    await db.$client.batch(statements)
  }
}

type Place = { org_id: number; day: string; body: string }
type Key = Uint8Array<ArrayBuffer>

const hashSeal = (
  key: Key,
  { org_id, day, body }: Place,
  { prev, changes, alerts, messages, open, at }: Omit<DaySeal, 'hash'>,
) => sign(key, JSON.stringify(['ledger', org_id, day, body, prev, changes, alerts, messages, open, at]))

const digest = (rows: unknown[]) => {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(`${JSON.stringify(row)}\n`)
  return hash.digest('base64url')
}

/** Of the whole change log of a day, first loads left out. */
async function digestChanges(db: Db, day: string) {
  const to = await findSeqBefore(db, `${shiftDay(day, 1)}T00:00:00Z`)
  const hash = createHash('sha256')
  for (let after = await findSeqBefore(db, `${day}T00:00:00Z`); ;) {
    const rows = await db.all<{ seq: number }>(sql`
      SELECT seq, vuln_id, at, kind, source, detail FROM vuln_changes WHERE seq > ${after} AND seq <= ${to} AND is_backfill = 0
      ORDER BY seq LIMIT ${entriesAtOnce}`)
    for (const row of rows) hash.update(`${JSON.stringify(row)}\n`)
    const last = rows.at(-1)
    if (!last || rows.length < entriesAtOnce) return hash.digest('base64url')
    after = last.seq
  }
}

type Sealed = { org_id: number; id: number }
type SealedMessage = Sealed & { status: string; next_attempt_at: string; sent_at: string | null }

/** Rows of a day of each organization, in the order of its numbers. */
async function readLedgers(db: Db, org_ids: number[], day: string) {
  const ours = sql`${valuesTable(org_ids)} o CROSS JOIN alerts a ON a.org_id = o.item
    AND a.created_at >= ${`${day}T00:00:00Z`} AND a.created_at < ${`${shiftDay(day, 1)}T00:00:00Z`}`
  const found = await db.all<Sealed & { saw: string }>(sql`
    SELECT a.org_id, a.id, a.vuln_id, a.change_seq, a.last_seq, a.rule, a.fired, a.score_from, a.cvss_from, a.cvss3_from, a.suppressed, a.planned,
      a.created_at, a.saw FROM ${ours} ORDER BY a.id`)
  // Seals of rows in which nothing was noted stay as they were made.
  const alerts = found.map(({ saw, ...row }) => (saw ? { ...row, saw } : row))
  const messages = await db.all<SealedMessage>(sql`
    SELECT a.org_id, d.id, d.org_id AS owner_id, d.alert_id, d.channel, d.target, d.rule, d.told, d.escalated_from, d.sent_at, d.status, d.next_attempt_at
    FROM ${ours} CROSS JOIN deliveries d ON d.alert_id = a.id ORDER BY d.id`)
  const [byOrg, messagesOf] = [
    Map.groupBy(alerts, ({ org_id }) => org_id),
    Map.groupBy(messages, ({ org_id }) => org_id),
  ]
  return (org_id: number) => ({ alerts: byOrg.get(org_id) ?? [], messages: messagesOf.get(org_id) ?? [] })
}

/** A message that had left keeps its time, and its word unless somebody sent it again since; another may go out still. */
function digestMessages(messages: SealedMessage[], { open, at }: Pick<DaySeal, 'open' | 'at'>) {
  const unsent = new Set(open)
  return digest(
    messages.map(({ status, next_attempt_at, sent_at, ...row }) => {
      if (unsent.has(row.id)) return row
      const isTold = status === 'sent' || status === 'reported' || next_attempt_at > at
      return { ...row, sent_at, status: isTold ? 'told' : status }
    }),
  )
}

/** A night may be late: a day without a seal is missed only later. */
const graceDays = 7

type Row = { day: string; body: string; seal: string }

type Step = { org_id: number; before?: string | undefined; days: number }

/** Reads the ledger of some sealed days again, the newest or those before a day, and follows the chain. The oldest day that stands is where it begins. */
export async function checkSeals(env: Env, db: Db, step: Step, now: Date): Promise<SealCheck> {
  const key = await getDataKey(env, db, 'audit')
  const { org_id } = step
  const { rows, older } = await findSealed(db, step)
  const broken: SealCheck['broken'] = []
  let before = older && parseSeal(older).hash
  for (const row of rows) {
    const { day, body } = row
    const seal = parseSeal(row)
    const { alerts, messages } = (await readLedgers(db, [org_id], day))(org_id)
    const found = {
      changes: await digestChanges(db, day),
      alerts: digest(alerts),
      messages: digestMessages(messages, seal),
    }
    for (const what of digestNames) if (found[what] !== seal[what]) broken.push({ day, what })
    if (seal.hash !== (await hashSeal(key, { org_id, day, body }, seal))) broken.push({ day, what: 'proof' })
    if (before !== null && seal.prev !== before) broken.push({ day, what: 'chain' })
    before = seal.hash
  }
  for (const day of await findUnsealed(db, step, rows, now)) broken.push({ day, what: 'chain' })
  const last = rows.at(-1)
  return {
    checked: rows.length,
    broken,
    last: last && before ? { day: last.day, hash: before } : null,
    next: older && rows[0] ? rows[0].day : null,
  }
}

const parseSeal = ({ seal }: Row) => JSON.parse(seal) as DaySeal

/** Oldest first, and the one before them. */
async function findSealed(db: Db, { org_id, before, days }: Step) {
  const found = await db.all<Row>(sql`
    SELECT day, body, seal FROM alert_proofs WHERE org_id = ${org_id} AND seal <> '' AND day < ${before ?? '9999'}
    ORDER BY day DESC LIMIT ${days + 1}`)
  return { rows: found.slice(0, days).toReversed(), older: found[days] ?? null }
}

/** Days with alerts behind the first seal that have none, though it is late for it. */
async function findUnsealed(db: Db, { org_id, before = '9999' }: Step, rows: Row[], now: Date) {
  const first = rows[0]?.day
  if (!first) return []
  const found = await db.all<{ day: string }>(sql`
    SELECT DISTINCT substr(created_at, 1, 10) AS day FROM alerts WHERE org_id = ${org_id} AND created_at >= ${first}
      AND created_at < min(${before}, ${toDay(plusDays(now, -sealAfterDays - graceDays))}) AND change_seq >= 0 AND suppressed IS NULL ORDER BY day`)
  const sealed = new Set(rows.map(({ day }) => day))
  return found.map(({ day }) => day).filter((day) => !sealed.has(day))
}

/** The newest seal, for a mail that keeps it outside of Earshot. */
export async function findLastSeal(db: Db, org_id: number) {
  const [last] = await db.all<{ day: string; hash: string }>(
    sql`SELECT day, seal ->> 'hash' AS hash FROM alert_proofs WHERE org_id = ${org_id} AND seal <> '' ORDER BY day DESC LIMIT 1`,
  )
  return last ?? null
}
