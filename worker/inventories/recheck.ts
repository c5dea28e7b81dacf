import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { recheckNights, recheckVersions } from '../watchlist/recheck'
import { judgeComponents } from './judge'
import type { Finding } from './judge'
import { rejudgeDue } from './rejudge'
import { findTargets } from './targets'

type Place = { org_id: number; inventory_id: number }
type Component = { id: number; version: string | null; purl: string | null; cpe: string | null }

/** Inventories of a night: an invocation may ask the database a thousand times. */
const maxInventories = 150

/** Thirty, or as many more as there are too many inventories for thirty. */
export const countNights = (inventories: number) =>
  recheckNights * Math.max(1, Math.ceil(inventories / (recheckNights * maxInventories)))

/**
 * Judges a share of all each night and mends what differs. A merge judges what it touches, so a difference is a fault, which the
 * clock's state shows.
 */
export async function recheckAll(db: Db, now: Date) {
  // What merges touched and nobody judged yet is no difference.
  await rejudgeDue(db, now)
  let differences = await recheckVersions(db, now)
  const { results } = await db.$client
    .prepare('SELECT org_id, id AS inventory_id FROM inventories WHERE (org_id * 7 + id) % ?1 = ?2')
    .bind(...(await findTurn(db, now)))
    .all<Place>()
  for (const place of results) differences += await recheckInventory(db, place)
  await pruneDays(db, now)
  if (!differences) return
  await rejudgeDue(db, now)
  throw new Error(`${differences} verdicts were not what the ranges say: they are mended now`)
}

async function findTurn(db: Db, now: Date) {
  const row = await db.$client.prepare('SELECT count(*) AS count FROM inventories').first<{ count: number }>()
  const nights = countNights(row?.count ?? 0)
  return [nights, Math.floor(now.getTime() / 86_400_000) % nights]
}

async function recheckInventory(db: Db, { org_id, inventory_id }: Place) {
  const [components, stored] = await db.$client.batch<Component & Finding>([
    db.$client
      .prepare('SELECT id, version, purl, cpe FROM inventory_components WHERE org_id = ?1 AND inventory_id = ?2')
      .bind(org_id, inventory_id),
    db.$client
      .prepare(
        `SELECT f.component_id, f.vuln_id, f.status, f.fixed_in FROM inventory_findings f
         CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' WHERE f.org_id = ?1 AND f.inventory_id = ?2`,
      )
      .bind(org_id, inventory_id),
  ])
  const judged = (components?.results ?? []).map((one) => ({ component_id: one.id, targets: findTargets(one) }))
  const verdicts = await judgeComponents(db, org_id, judged)
  const fresh = new Map(
    [...verdicts.values()].flatMap(({ findings }) => findings).map((one) => [toKey(one), toWord(one)]),
  )
  const known = new Map((stored?.results ?? []).map((one) => [toKey(one), toWord(one)]))
  const wrong = [...new Set([...fresh.keys(), ...known.keys()])].filter((key) => fresh.get(key) !== known.get(key))
  if (wrong.length)
    await db.$client.batch(
      bulk(
        db,
        `INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id)
         SELECT ?2, ?3, value->>0, value->>1 FROM jsonb_each(?1) WHERE TRUE ON CONFLICT DO NOTHING`,
        wrong.map((key) => key.split(' ').map(Number)),
        org_id,
        inventory_id,
      ),
    )
  return wrong.length
}

const toKey = ({ component_id, vuln_id }: Pick<Finding, 'component_id' | 'vuln_id'>) => `${component_id} ${vuln_id}`
const toWord = ({ status, fixed_in }: Pick<Finding, 'status' | 'fixed_in'>) => `${status} ${fixed_in ?? ''}`

/** The graph over time shows 90 days on which something changed. */
const keptDays = 400

/** An inventory keeps its newest row, however old: it holds the counts of today. */
const pruneDays = (db: Db, now: Date) =>
  db.$client
    .prepare(
      `DELETE FROM inventory_days WHERE day < ?1 AND EXISTS (SELECT 1 FROM inventory_days n
         WHERE n.org_id = inventory_days.org_id AND n.inventory_id = inventory_days.inventory_id AND n.day > inventory_days.day)`,
    )
    .bind(stamp(plusSeconds(now, -keptDays * 86_400)).slice(0, 10))
    .run()
