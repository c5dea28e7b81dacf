import { sql } from 'drizzle-orm'
import { getDataKey } from '../../auth/data-keys'
import type { Db } from '../../db/open'
import { plusDays, toDay } from '../../db/time'
import type { Env } from '../../env'
import type { SealCheck } from './contract'
import { digest, digestChanges, digestMessages, digestNames, hashSeal, readLedgers, sealAfterDays } from './seals'
import type { DaySeal } from './seals'

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
