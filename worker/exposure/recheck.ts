import { and, lt, sql } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import type { Db } from '../db/open'
import { prune } from '../db/prune'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { judgedKinds, type JudgedKind } from '../domain/versions/verdict'
import { inventories, inventoryDays } from '../schema/inventories'
import { rewatch } from '../watchlist/rewatch'
import { findingKey, judgeComponents, type Finding } from './judge'
import { rejudgeDue } from './judge-due'
import { anyVuln, noteDue } from './note-due'
import { toJudged, type NamedComponent } from './targets'
import { removeUnrun, writeVerdicts, type Run } from './versions'
import { countCompared, writeCompared } from './write-findings'

/** One that is too large for a night is judged anew in so many parts, one at its turn. */
type Place = { org_id: number; inventory_id: number; parts: number; part: number }

/** An invocation may ask the database a thousand times: so many inventories of a night, and so many items at once. */
const maxInventories = 150
const [chunkItems, maxChunks] = [50, 100]
/** Of one inventory, which takes some seconds. */
const perNight = { components: 2_000, findings: 50_000, comparisons: 100_000 }
const nightly = { turns: 40, ms: 60_000 }

/** Components that cannot be judged are passed by; so many are named to the operator. */
const toldFaults = 5

const recheckNights = 30
export const nightNumber = (now: Date, nights = recheckNights) => Math.floor(now.getTime() / 86_400_000) % nights

/** Thirty, or as many more as there are too many inventories for thirty. */
export const countNights = (count: number) =>
  recheckNights * Math.max(1, Math.ceil(count / (recheckNights * maxInventories)))

/**
 * Judges a share of all each night and mends what differs. A merge judges what it touches, so a difference is a fault, which the
 * clock's state shows.
 */
export async function recheckAll(db: Db, now: Date) {
  const faults: string[] = []
  const passBy = async (name: string, judging: Promise<number>) =>
    judging.catch((error: unknown) => {
      faults.push(`${name}: ${errorText(error)}`)
      return 0
    })
  const judgeWaiting = () => passBy('the waiting comparisons', rejudgeDue(db, now, nightly).then(Number))
  // Ranges that merges touched and nobody judged yet are no difference.
  await judgeWaiting()
  let differences = 0
  for (const kind of judgedKinds)
    for await (const runs of findRuns(db, kind, nightNumber(now)))
      differences += await passBy(`${kind} ${runs[0]?.item_id} and following`, recheckVersions(db, kind, runs, faults))
  for (const place of await findPlaces(db, now)) {
    const name = `inventory ${place.inventory_id} of organization ${place.org_id}`
    differences += await passBy(name, recheckInventory(db, place, faults))
  }
  await removeUnrun(db)
  if (differences) await judgeWaiting()
  const told = [
    ...(differences ? [`${differences} verdicts were not what the ranges say: they are mended now`] : []),
    ...(faults.length ? [`${faults.length} could not be judged: ${faults.slice(0, toldFaults).join('; ')}`] : []),
  ]
  if (told.length) throw new Error(told.join('; ').slice(0, 1_000))
}

/** Those of a thirtieth of the items, chunk by chunk. */
async function* findRuns(db: Db, kind: JudgedKind, night: number) {
  for (let chunk = 0, after = 0; chunk < maxChunks; chunk++) {
    const rows = await db.all<{ item_id: number; versions: string }>(sql`
      SELECT item_id, json_group_array(version) AS versions FROM judged_versions
      WHERE kind = ${kind} AND item_id > ${after} AND item_id % ${recheckNights} = ${night}
      GROUP BY item_id ORDER BY item_id LIMIT ${chunkItems}`)
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ item_id, versions }): Run => ({ item_id, versions: JSON.parse(versions) as string[] }))
    after = last.item_id
  }
}

const recheckVersions = (db: Db, kind: JudgedKind, runs: Run[], faults: string[]) =>
  writeVerdicts(db, kind, runs, {
    faults,
    follow: (vuln_ids) => (vuln_ids.length ? rewatch(db, { vuln_ids }, sql`1`) : []),
  })

async function findPlaces(db: Db, now: Date): Promise<Place[]> {
  const nights = countNights(await db.$count(inventories))
  const { org_id, id, components_count, findings_count } = inventories
  const turn = Math.floor(now.getTime() / 86_400_000 / nights)
  const rows = await db
    .select({
      org_id,
      inventory_id: id,
      components: components_count,
      findings: findings_count,
      comparisons: sql<number>`(SELECT coalesce(sum(judged_count), 0) FROM inventory_components c
        WHERE c.org_id = inventories.org_id AND c.inventory_id = inventories.id)`,
    })
    .from(inventories)
    .where(sql`(${org_id} * 7 + ${id}) % ${nights} = ${nightNumber(now, nights)} AND ${inventories.removed_at} IS NULL`)
  return rows.map(({ components, findings, comparisons, ...place }) => {
    const shares = [components / perNight.components, findings / perNight.findings, comparisons / perNight.comparisons]
    const parts = Math.ceil(Math.max(1, ...shares))
    return { ...place, parts, part: turn % parts }
  })
}

async function recheckInventory(db: Db, { org_id, inventory_id, parts, part }: Place, faults: string[]) {
  const isOfPart = (id: string) => sql.raw(`${id} % ${parts} = ${part}`)
  const [components, stored, due] = await db.$client.batch<NamedComponent & Finding>([
    statement(
      db,
      sql`SELECT id, version, purl, cpe FROM inventory_components
        WHERE org_id = ${org_id} AND inventory_id = ${inventory_id} AND ${isOfPart('id')}`,
    ),
    statement(
      db,
      sql`SELECT f.component_id, f.vuln_id, f.status, f.fixed_in FROM inventory_findings f
        CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected'
        WHERE f.org_id = ${org_id} AND f.inventory_id = ${inventory_id} AND ${isOfPart('f.component_id')}`,
    ),
    statement(
      db,
      sql`SELECT component_id, vuln_id FROM inventory_due WHERE org_id = ${org_id} AND inventory_id = ${inventory_id}
        AND (component_id < 0 OR ${isOfPart('component_id')})`,
    ),
  ])
  const waiting = new Set((due?.results ?? []).map(findingKey))
  const spread = new Set((due?.results ?? []).flatMap((pair) => (pair.component_id < 0 ? pair.vuln_id : [])))
  const isJudged = ({ component_id, vuln_id }: Pick<Finding, 'component_id' | 'vuln_id'>) =>
    [vuln_id, anyVuln].every((id) => !waiting.has(findingKey({ component_id, vuln_id: id }))) && !spread.has(vuln_id)
  const verdicts = await judgeComponents(db, org_id, (components?.results ?? []).map(toJudged), { faults })
  const fresh = new Map(
    [...verdicts.values()]
      .flatMap(({ findings }) => findings.filter(isJudged))
      .map((finding) => [findingKey(finding), toWord(finding)]),
  )
  const known = new Map(
    (stored?.results ?? []).filter(isJudged).map((finding) => [findingKey(finding), toWord(finding)]),
  )
  const wrong = [...new Set([...fresh.keys(), ...known.keys()])].filter((key) => fresh.get(key) !== known.get(key))
  await db.$client.batch([
    ...noteDue(
      db,
      { org_id, inventory_id },
      wrong.map((key) => key.split(' ').map(Number)),
    ),
    // How many there are to compare with changes every day.
    ...writeCompared(
      db,
      { org_id, inventory_id },
      new Map([...verdicts].filter(([id]) => isJudged({ component_id: id, vuln_id: anyVuln }))),
    ),
    countCompared(db, { org_id, inventory_id }),
  ])
  return wrong.length
}

const toWord = ({ status, fixed_in }: Pick<Finding, 'status' | 'fixed_in'>) => `${status} ${fixed_in ?? ''}`

/** The graph over time shows 90 days on which something changed. */
const keptDays = 400

/** An inventory keeps its newest row, however old: it holds the counts of today. */
export function pruneDays(db: Db, now: Date) {
  const { org_id, inventory_id, day } = inventoryDays
  const isFollowed = sql`EXISTS (SELECT 1 FROM inventory_days n WHERE n.org_id = ${org_id} AND n.inventory_id = ${inventory_id} AND n.day > ${day})`
  const isOld = and(lt(day, stamp(plusSeconds(now, -keptDays * 86_400)).slice(0, 10)), isFollowed)
  return prune(db, [{ table: inventoryDays, key: [org_id, inventory_id, day], isOld }])
}
