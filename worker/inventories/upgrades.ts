import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parsePurl } from '../domain/names/purl'
import type { VersionOrder } from '../domain/words/record'
import { compareVersions, packageOrder, sortVersions } from '../domain/versions/versions'
import type { Paging } from '../http/page'
import { isOpen } from '../exposure/open-findings'
import { findRivals, itemsOfNames, makeSafe } from '../exposure/safe-upgrades'
import { findTargets } from '../exposure/targets'
import { isOfFinding } from '../schema/decisions'
import { findVersionSupports } from '../taxonomy/lifecycles'
import type { Upgrade } from './contract'
import { findingTables, publicId } from './finding-tables'
import { requireInventory } from './inventory'
import type { InventoryHead } from './inventory'
import { findListed } from './stored-list'

/** An upgrade with the names by which its component is looked for. */
type PlannedUpgrade = Omit<Upgrade, 'support'> & { purl: string | null; cpe: string | null }

type Row = {
  component_id: number
  component: string
  version: string | null
  purl: string | null
  cpe: string | null
  path: string
  vuln_id: number
  cveid: string | null
  fixed_in: string | null
  first_unlisted: string | null
  score: number | null
  epss: number | null
  kev: number
  chosen: string | null
}

const shownVulns = 50

/** A page has a hundred at most. */
const storedUpgrades = 100

type Request = { name: string; page: Paging; now: Date }

/**
 * KEV first, then EPSS × score. Each finding is closed by its lowest fix or any later version; where no source names a fix, by the
 * first version that its source does not list.
 */
export async function findUpgrades(db: Db, org_id: number, { name, page, now }: Request) {
  const head = await requireInventory(db, org_id, name)
  const { count, rows } = await findListed(db, { head, list: 'upgrades', page, places: storedUpgrades, now }, () =>
    findRows(db, head),
  )
  const planned = rows.map((row) => ({ to: row.to, order: orderFor(row.purl), targets: findTargets(row) }))
  const items = itemsOfNames(planned.flatMap(({ targets }) => targets))
  const safe = makeSafe(planned, await findRivals(db, org_id, items, []))
  const raised = planned.map(({ to, targets }, at) => ({ version: safe[at]?.to ?? to, names: targets }))
  const supports = await findVersionSupports(db, raised, now)
  return {
    count,
    results: rows.map(({ purl: _, cpe: __, ...row }, at) => ({
      ...row,
      ...safe[at],
      because: safe[at]?.because ?? row.because,
      support: supports[at] ?? null,
    })),
  }
}

const orderFor = (purl: string | null): VersionOrder => packageOrder((purl && parsePurl(purl)?.type) || 'generic')

async function findRows(db: Db, { org_id, id }: InventoryHead): Promise<PlannedUpgrade[]> {
  const rows = await db.all<Row>(sql`
    SELECT f.component_id, c.name AS component, c.version, c.purl, c.cpe, c.path, f.vuln_id, ${publicId} AS cveid, f.fixed_in, f.first_unlisted, v.score, v.epss, v.kev_added_at IS NOT NULL AS kev,
      (SELECT d.fix FROM decisions d WHERE ${sql.raw(isOfFinding)}) AS chosen
    FROM ${findingTables(org_id, id)} AND f.status = 'affected' AND coalesce(f.fixed_in, f.first_unlisted) IS NOT NULL AND ${sql.raw(isOpen)}`)
  const upgrades = [...Map.groupBy(rows, ({ component_id }) => component_id).values()].flatMap(toUpgrade)
  return upgrades.sort(
    (a, b) => b.kev - a.kev || b.risk - a.risk || b.closes - a.closes || a.component_id - b.component_id,
  )
}

function toUpgrade(rows: Row[]): PlannedUpgrade[] {
  const [first] = rows
  const order = orderFor(first?.purl ?? null)
  const ends = rows.map(({ fixed_in, first_unlisted }) => fixed_in ?? first_unlisted ?? '')
  const sorted = sortVersions(order, ends)
  const to = sorted.at(-1)
  if (!first || to === undefined) return []
  // Of fixes that the order cannot compare none is known to be the highest.
  if (ends.some((end) => (compareVersions(order, end, to) ?? 1) > 0)) return []
  const last = rows[ends.indexOf(to)]
  const risk = rows.reduce((sum, { epss, score }) => sum + (epss ?? 0) * (score ?? 0), 0)
  return [
    {
      component_id: first.component_id,
      component: first.component,
      version: first.version,
      chosen: rows.find(({ chosen }) => chosen !== null)?.chosen ?? null,
      path: JSON.parse(first.path) as string[],
      purl: first.purl,
      cpe: first.cpe,
      to,
      because: sorted.length > 1 && last ? { id: last.vuln_id, cveid: last.cveid } : null,
      still: [],
      closes: rows.length,
      kev: rows.filter(({ kev }) => kev === 1).length,
      risk: Math.round(risk * 100) / 100,
      vulns: rows
        .slice(0, shownVulns)
        .map(({ vuln_id, cveid, fixed_in, first_unlisted }) => ({ id: vuln_id, cveid, fixed_in, first_unlisted })),
    },
  ]
}
