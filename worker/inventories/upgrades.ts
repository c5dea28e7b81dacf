import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parsePurl } from '../domain/names/purl'
import type { VersionOrder } from '../domain/words/record'
import { compareVersions, packageOrder, sortVersions } from '../domain/versions/versions'
import type { Paging } from '../http/page'
import { isOpen } from '../exposure/open-findings'
import { findRivals, itemsOfNames, makeSafe } from '../exposure/safe-upgrades'
import { findTargets } from '../exposure/targets'
import { isKnownExploited } from '../schema/claims'
import { isOfFinding, isStatedOfFinding } from '../schema/decisions'
import { findNamedSupports } from '../taxonomy/lifecycles'
import type { Upgrade } from './upgrade-contract'
import { findingTables, namedFix, publicId } from './finding-tables'
import type { InventoryPlace } from './inventory'
import { findListed } from './stored-list'

/** An upgrade with the names by which its component is looked for. */
type PlannedUpgrade = Omit<Upgrade, 'support' | 'vulns'> & {
  purl: string | null
  cpe: string | null
  vulns: (Upgrade['vulns'][number] & { risk: number })[]
}

type Component = {
  component_id: number
  component: string
  version: string | null
  purl: string | null
  cpe: string | null
  path: string
}
/** Of a component all that is open and for which no source names a fix. */
type Unfixed = Component & { count: number; kev: number; risk: number }

type Row = Component & {
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

type Request = { name: string; query: Paging; now: Date }

/**
 * Exploited vulnerabilities first, then EPSS × score. Each finding is closed by its lowest fix or any later version; where no source names a fix, by the
 * first version that its source does not list; one that affects the highest of these all the same asks for a higher one, or is not closed. One that
 * the organization is done with asks for none. A component that no version closes has a row without one: each affected finding is counted.
 */
export async function findUpgrades(db: Db, org_id: number, { name, query, now }: Request) {
  const listed = { name, list: 'upgrades, each with its risk', page: query, places: storedUpgrades, now }
  const { count, rows } = await findListed(db, org_id, listed, (place) => findRows(db, place))
  const planned = rows.flatMap(({ to, ...row }) => {
    if (to === null) return []
    const { component_id, purl, vulns } = row
    return { component_id, to, order: orderFor(purl), targets: findTargets(row), vuln_ids: new Set(vulns.map(toId)) }
  })
  const items = itemsOfNames(planned.flatMap(({ targets }) => targets))
  const closed = [...new Set(planned.flatMap(({ vuln_ids }) => [...vuln_ids]))]
  const [rivals, findSupport] = await Promise.all([
    findRivals(db, org_id, items, closed),
    findNamedSupports(
      db,
      planned.flatMap(({ targets }) => targets),
      now,
    ),
  ])
  const safe = makeSafe(planned, rivals)
  const supports = planned.map(({ to, targets }, at) => findSupport({ version: safe[at]?.to ?? to, names: targets }))
  const places = new Map(planned.map(({ component_id }, at) => [component_id, at]))
  return {
    count,
    results: rows.map((row) => {
      const at = places.get(row.component_id) ?? -1
      const { to = row.to, because = [], still = [], left = [] } = safe[at] ?? {}
      return {
        ...withoutLeft(row, new Set(left)),
        to,
        because: because.length ? because : row.because,
        still,
        support: supports[at] ?? null,
      }
    }),
  }
}

/** A vulnerability that affects the version all the same is not closed by it. */
function withoutLeft({ purl: _, cpe: __, vulns, ...row }: PlannedUpgrade, left: Set<number>) {
  const open = vulns.filter(({ id }) => left.has(id))
  const risk = open.reduce((sum, one) => sum + one.risk, 0)
  return {
    ...row,
    closes: row.closes - open.length,
    risk: rounded(row.risk - risk),
    vulns: vulns.flatMap(({ risk: ___, ...one }) => (left.has(one.id) ? [] : one)),
  }
}

const orderFor = (purl: string | null): VersionOrder => packageOrder((purl && parsePurl(purl)?.type) || 'generic')

async function findRows(db: Db, { org_id, id }: InventoryPlace): Promise<PlannedUpgrade[]> {
  const affected = sql`${findingTables(org_id, id)} AND f.status = 'affected' AND ${sql.raw(isOpen)}
    AND NOT EXISTS (SELECT 1 FROM decisions s WHERE ${sql.raw(isStatedOfFinding)})`
  const component = sql`f.component_id, c.name AS component, c.version, c.purl, c.cpe, c.path`
  const [rows, unfixed] = await Promise.all([
    db.all<Row>(sql`
      SELECT ${component}, f.vuln_id, ${publicId} AS cveid, f.fixed_in, f.first_unlisted, v.score, v.epss, ${isKnownExploited} AS kev,
        (SELECT d.fix FROM decisions d WHERE ${sql.raw(isOfFinding)}) AS chosen
      FROM ${affected} AND ${namedFix} IS NOT NULL`),
    db.all<Unfixed>(sql`
      SELECT ${component}, count(*) AS count, sum(${isKnownExploited}) AS kev, sum(coalesce(v.epss, 0) * coalesce(v.score, 0)) AS risk
      FROM ${affected} AND ${namedFix} IS NULL GROUP BY f.component_id`),
  ])
  const byComponent = Map.groupBy(rows, ({ component_id }) => component_id)
  const rest = new Map(unfixed.map((one) => [one.component_id, one]))
  const upgrades = [...new Set([...byComponent.keys(), ...rest.keys()])].flatMap((component_id) =>
    toUpgrade(byComponent.get(component_id) ?? [], rest.get(component_id)),
  )
  // A vulnerability that no version closes stands where it would if one did.
  const kev = ({ to, kev: closed, unfixed: { kev: left } }: PlannedUpgrade) => (to === null ? left : closed)
  return upgrades.sort(
    (a, b) => kev(b) - kev(a) || b.risk - a.risk || b.closes - a.closes || a.component_id - b.component_id,
  )
}

function toUpgrade(rows: Row[], rest: Unfixed | undefined): PlannedUpgrade[] {
  const first = rows[0] ?? rest
  if (!first) return []
  const ends = rows.map(({ fixed_in, first_unlisted }) => fixed_in ?? first_unlisted ?? '')
  const to = findHighest(orderFor(first.purl), ends)
  const last = to === null ? undefined : rows[ends.indexOf(to)]
  const closed = to === null ? [] : rows
  const open = {
    count: (rest?.count ?? 0) + rows.length - closed.length,
    kev: (rest?.kev ?? 0) + countKev(rows) - countKev(closed),
  }
  const { component_id, component, version, purl, cpe } = first
  const risk = sumRisk(rows) + (to === null ? (rest?.risk ?? 0) : 0)
  return [
    {
      component_id,
      component,
      version,
      chosen: rows.find(({ chosen }) => chosen !== null)?.chosen ?? null,
      path: JSON.parse(first.path) as string[],
      purl,
      cpe,
      to,
      because: new Set(ends).size > 1 && last ? [{ id: last.vuln_id, cveid: last.cveid }] : [],
      still: [],
      closes: closed.length,
      kev: countKev(closed),
      risk: rounded(risk),
      unfixed: open,
      vulns: closed.slice(0, shownVulns).map(({ vuln_id: id, cveid, fixed_in, first_unlisted, ...row }) => ({
        id,
        cveid,
        fixed_in,
        first_unlisted,
        risk: sumRisk([row]),
      })),
    },
  ]
}

const toId = ({ id }: { id: number }) => id
const countKev = (rows: Row[]) => rows.filter(({ kev }) => kev === 1).length
const rounded = (risk: number) => Math.round(risk * 100) / 100
const sumRisk = (rows: Pick<Row, 'epss' | 'score'>[]) =>
  rows.reduce((sum, { epss, score }) => sum + (epss ?? 0) * (score ?? 0), 0)

/** Null where the order cannot compare them: of such fixes none is known to be the highest. */
function findHighest(order: VersionOrder, ends: string[]) {
  const highest = sortVersions(order, ends).at(-1)
  if (highest === undefined || ends.some((end) => (compareVersions(order, end, highest) ?? 1) > 0)) return null
  return highest
}
