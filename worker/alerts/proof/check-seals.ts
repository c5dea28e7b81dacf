import { sql } from 'drizzle-orm'
import { getDataKey } from '../../auth/data-keys'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import type { SealCheck } from './contract'
import {
  dayBefore,
  digest,
  digestChanges,
  digestMessages,
  digestNames,
  hashSeal,
  readLedgers,
  sealAfterDays,
} from './seals'
import type { DaySeal } from './seals'

/** So many of the newest sealed days are looked at. */
const checkedDays = 35
/** A night may be late: a day without a seal is missed only later. */
const graceDays = 7

type Row = { day: string; body: string; seal: string }

/** Reads the ledger of each sealed day again, and follows the chain from day to day. The oldest day that stands is where it begins. */
export async function checkSeals(env: Env, db: Db, org_id: number, now: Date): Promise<SealCheck> {
  const key = await getDataKey(env, db, 'audit')
  const rows = (
    await db.all<Row>(
      sql`SELECT day, body, seal FROM alert_proofs WHERE org_id = ${org_id} AND seal <> '' ORDER BY day DESC LIMIT ${checkedDays}`,
    )
  ).toReversed()
  const broken: SealCheck['broken'] = []
  let before: string | null = null
  for (const { day, body, seal: text } of rows) {
    const seal = JSON.parse(text) as DaySeal
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
  for (const day of await findUnsealed(db, org_id, rows, now)) broken.push({ day, what: 'chain' })
  const last = rows.at(-1)
  return { checked: rows.length, broken, last: last && before ? { day: last.day, hash: before } : null }
}

/** Days with alerts behind the first seal that have none, though it is late for it. */
async function findUnsealed(db: Db, org_id: number, rows: Row[], now: Date) {
  const first = rows[0]?.day
  if (!first) return []
  const found = await db.all<{ day: string }>(sql`
    SELECT DISTINCT substr(created_at, 1, 10) AS day FROM alerts WHERE org_id = ${org_id} AND created_at >= ${first}
      AND created_at < ${dayBefore(now, sealAfterDays + graceDays)} AND change_seq >= 0 AND suppressed IS NULL ORDER BY day`)
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
