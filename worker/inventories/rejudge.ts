import { asc } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { inventoryDue } from '../schema/inventories'
import { requireRevision } from './inventory'
import { judgeComponents } from './judge'
import type { Finding } from './judge'
import { findTargets } from './targets'
import { writeFindings } from './write-findings'

type Pair = Pick<Finding, 'component_id' | 'vuln_id'>

const chunkPairs = 2_000
/** An invocation may ask the database a thousand times. */
const maxRounds = 20

/** A batch takes what it judged off the list, so a run that stops leaves the others to the next; true when nothing is left. */
export async function rejudgeDue(db: Db, now: Date) {
  for (let round = 0; round < maxRounds; round++) {
    const { org_id: org, inventory_id: inventory, component_id, vuln_id } = inventoryDue
    const due = await db
      .select()
      .from(inventoryDue)
      .orderBy(asc(org), asc(inventory), asc(component_id), asc(vuln_id))
      .limit(chunkPairs)
    const [first] = due
    if (!first) return true
    const { org_id, inventory_id } = first
    const pairs = due.filter((one) => one.org_id === org_id && one.inventory_id === inventory_id)
    await rejudge(db, { org_id, inventory_id }, pairs, now)
  }
  return false
}

type Place = { org_id: number; inventory_id: number }
type Row = { id: number; version: string | null; purl: string | null; cpe: string | null; revision: number }

async function rejudge(db: Db, place: Place, pairs: Pair[], now: Date) {
  const here = [place.org_id, place.inventory_id]
  const ids = [...new Set(pairs.map(({ component_id }) => component_id))]
  const answers = await db.$client.batch<Row>(
    bulk(
      db,
      `SELECT c.id, c.version, c.purl, c.cpe, i.revision FROM jsonb_each(?1) j
       CROSS JOIN inventory_components c ON c.org_id = ?2 AND c.inventory_id = ?3 AND c.id = j.value
       CROSS JOIN inventories i ON i.org_id = c.org_id AND i.id = c.inventory_id`,
      ids,
      ...here,
    ),
  )
  const rows = answers.flatMap(({ results }) => results)
  const changed = [...new Set(pairs.map(({ vuln_id }) => vuln_id))]
  const judged = rows.map((row) => ({ component_id: row.id, targets: findTargets(row) }))
  const verdicts = await judgeComponents(db, place.org_id, judged, changed)
  const wanted = new Set(pairs.map(toKey))
  const findings = [...verdicts.values()].flatMap((one) => one.findings).filter((finding) => wanted.has(toKey(finding)))
  const found = new Set(findings.map(toKey))
  await db.$client.batch([
    // Who sent the document anew meanwhile judged all of it.
    ...(rows[0]
      ? [requireRevision(db, { org_id: place.org_id, id: place.inventory_id, revision: rows[0].revision })]
      : []),
    ...bulk(
      db,
      `DELETE FROM inventory_due WHERE (org_id, inventory_id, component_id, vuln_id) IN (
         SELECT ?2, ?3, value->>0, value->>1 FROM jsonb_each(?1))`,
      pairs.map(({ component_id, vuln_id }) => [component_id, vuln_id]),
      ...here,
    ),
    ...(rows.length
      ? writeFindings(db, { ...place, findings, closed: pairs.filter((pair) => !found.has(toKey(pair))), changed, now })
      : []),
  ])
}

const toKey = ({ component_id, vuln_id }: Pair) => `${component_id} ${vuln_id}`
