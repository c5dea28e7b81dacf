import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parsePurl } from '../domain/purl'
import type { VersionOrder } from '../domain/record'
import { compareVersions, packageOrder, sortVersions } from '../domain/versions'
import type { Paging } from '../http/page'
import { isOpen } from '../exposure/open-findings'
import { isOfFinding } from '../schema/decisions'
import type { Upgrade } from './contract'
import { findingTables, publicId } from './finding-tables'
import { requireInventory } from './inventory'
import type { InventoryHead } from './inventory'
import { findListed } from './stored-list'

type Row = {
  component_id: number
  component: string
  version: string | null
  purl: string | null
  path: string
  vuln_id: number
  cveid: string | null
  fixed_in: string
  score: number | null
  epss: number | null
  kev: number
  chosen: string | null
}

const shownVulns = 50

/** A page has a hundred at most. */
const storedUpgrades = 100

type Request = { name: string; page: Paging; now: Date }

/** KEV first, then EPSS × score. Each finding is closed by its lowest fix or any later version; without a fix, by none. */
export async function findUpgrades(db: Db, org_id: number, { name, page, now }: Request) {
  const head = await requireInventory(db, org_id, name)
  const { count, rows } = await findListed(db, { head, list: 'upgrades', page, places: storedUpgrades, now }, () =>
    findRows(db, head),
  )
  return { count, results: rows }
}

async function findRows(db: Db, { org_id, id }: InventoryHead): Promise<Upgrade[]> {
  const rows = await db.all<Row>(sql`
    SELECT f.component_id, c.name AS component, c.version, c.purl, c.path, f.vuln_id, ${publicId} AS cveid, f.fixed_in, v.score, v.epss, v.kev_added_at IS NOT NULL AS kev,
      (SELECT d.fix FROM decisions d WHERE ${sql.raw(isOfFinding)}) AS chosen
    FROM ${findingTables(org_id, id)} AND f.status = 'affected' AND f.fixed_in IS NOT NULL AND ${sql.raw(isOpen)}`)
  const upgrades = [...Map.groupBy(rows, ({ component_id }) => component_id).values()].flatMap(toUpgrade)
  return upgrades.sort(
    (a, b) => b.kev - a.kev || b.risk - a.risk || b.closes - a.closes || a.component_id - b.component_id,
  )
}

const orderFor = (purl: string | null): VersionOrder => packageOrder((purl && parsePurl(purl)?.type) || 'generic')

function toUpgrade(rows: Row[]): Upgrade[] {
  const [first] = rows
  const order = orderFor(first?.purl ?? null)
  const to = sortVersions(
    order,
    rows.map(({ fixed_in }) => fixed_in),
  ).at(-1)
  if (!first || to === undefined) return []
  // Of fixes that the order cannot compare none is known to be the highest.
  if (rows.some(({ fixed_in }) => (compareVersions(order, fixed_in, to) ?? 1) > 0)) return []
  const risk = rows.reduce((sum, { epss, score }) => sum + (epss ?? 0) * (score ?? 0), 0)
  return [
    {
      component_id: first.component_id,
      component: first.component,
      version: first.version,
      chosen: rows.find(({ chosen }) => chosen !== null)?.chosen ?? null,
      path: JSON.parse(first.path) as string[],
      to,
      closes: rows.length,
      kev: rows.filter(({ kev }) => kev === 1).length,
      risk: Math.round(risk * 100) / 100,
      vulns: rows.slice(0, shownVulns).map(({ vuln_id, cveid, fixed_in }) => ({ id: vuln_id, cveid, fixed_in })),
    },
  ]
}
