import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { findDistribution } from '../domain/names/distribution'
import { parsePurl } from '../domain/names/purl'
import type { EndOfLife, VersionSupport } from '../taxonomy/contract'
import { findVersionSupport, isInState, listLifecycles, soonAfter } from '../taxonomy/lifecycles'
import { describeSupport, isEnding } from '../domain/versions/end-of-life'
import { compareText } from '../domain/versions/orders/order'

/** A version that runs of something of which somebody lists the releases. */
export type RunningVersion = {
  lifecycle_id: string
  version: string
  /** The release that it is of, where its version does not tell. */
  pinned: string | null
  via: 'product' | 'package' | 'component' | 'distribution'
  /** Of a component or a distribution; else 0. */
  inventory_id: number
  /** The number of the item, or of the component or distribution within its inventory. */
  id: number
  name: string
  /** The vendor of a product, the type of a package, the name of an inventory. */
  of: string
  /** So many of its inventory were built for a distribution. */
  packages?: number
}

type BuiltFor = { inventory_id: number; id: number; of: string; packages: number; purl: string }

/**
 * From the few names that have a lifecycle to what the organization runs, or one inventory of it, or its items alone (0): each is one look into
 * a key. Inventories tell what they were built for.
 */
async function findRunningVersions(db: Db, org_id: number, inventory_id?: number | SQL): Promise<RunningVersion[]> {
  const [named, builtFor] = await db.$client.batch<RunningVersion | BuiltFor>([
    statement(db, selectNamed(org_id, inventory_id)),
    statement(
      db,
      sql`SELECT y.id AS inventory_id, d.key AS id, y.name AS "of", d.value->>0 AS purl, d.value->>1 AS packages
        FROM inventories y CROSS JOIN json_each(y.distributions) d
        WHERE y.org_id = ${org_id} AND y.removed_at IS NULL ${inventory_id === undefined ? sql`` : sql`AND y.id = ${inventory_id}`}`,
    ),
  ])
  const distributions = ((builtFor?.results ?? []) as BuiltFor[]).flatMap(
    ({ purl: text, ...place }): RunningVersion[] => {
      const purl = parsePurl(text)
      const found = purl && findDistribution(purl)
      if (!found) return []
      const { id: name, version } = found
      return [{ ...place, via: 'distribution', lifecycle_id: name, version, pinned: null, name }]
    },
  )
  return [...((named?.results ?? []) as RunningVersion[]), ...distributions]
}

function selectNamed(org_id: number, inventory_id?: number | SQL) {
  const items = sql`
    SELECT n.lifecycle_id, v.value AS version, n.release AS pinned, 'product' AS via, 0 AS inventory_id, p.id, p.name, p.vendor AS "of" FROM lifecycle_names n
    CROSS JOIN vendors d ON d.name = n.first CROSS JOIN products p ON p.vendor_id = d.id AND p.name = n.name
    CROSS JOIN monitored_products m ON m.org_id = ${org_id} AND m.product_id = p.id AND m.is_monitored = 1
    CROSS JOIN json_each(iif(n.release IS NULL, m.versions, coalesce(nullif(m.versions, '[]'), json_array(n.release)))) v WHERE n.kind = 'product'
    UNION ALL SELECT n.lifecycle_id, v.value, n.release, 'package', 0, p.id, p.name, p.type FROM lifecycle_names n
    CROSS JOIN packages p ON p.type = n.first AND p.name = n.name
    CROSS JOIN monitored_packages m ON m.org_id = ${org_id} AND m.package_id = p.id
    CROSS JOIN json_each(m.versions) v WHERE n.kind = 'package'`
  const components = sql`
    SELECT n.lifecycle_id, c.version, n.release AS pinned, 'component' AS via, y.id AS inventory_id, c.id, c.name, y.name AS "of" FROM lifecycle_names n
    CROSS JOIN inventory_matches m ON m.kind = n.kind AND m.first = n.first AND m.name = n.name AND m.org_id = ${org_id}
      ${inventory_id === undefined ? sql`` : sql`AND m.inventory_id = ${inventory_id}`}
    CROSS JOIN inventory_components c ON c.org_id = m.org_id AND c.inventory_id = m.inventory_id AND c.id = m.component_id
    CROSS JOIN inventories y ON y.org_id = m.org_id AND y.id = m.inventory_id
    WHERE c.version IS NOT NULL`
  return sql.join([...(inventory_id ? [] : [items]), ...(inventory_id === 0 ? [] : [components])], sql` UNION ALL `)
}

export type RunningSupport = RunningVersion & { support: VersionSupport }

/** Each version once, with its release: where its names stand at several products, the first of them tells. */
export async function findRunningSupports(
  db: Db,
  org_id: number,
  now: Date,
  inventory_id?: number | SQL,
): Promise<RunningSupport[]> {
  const running = await findRunningVersions(db, org_id, inventory_id)
  const lifecycles = await listLifecycles(db, [...new Set(running.map((run) => run.lifecycle_id))], now)
  const found = new Map<string, RunningSupport>()
  for (const run of running) {
    const lifecycle = lifecycles.get(run.lifecycle_id)
    const support = lifecycle && findVersionSupport({ ...lifecycle, pinned: run.pinned }, run.version, now)
    const key = JSON.stringify([run.via, run.inventory_id, run.id, run.version])
    if (support && run.lifecycle_id <= (found.get(key)?.lifecycle_id ?? run.lifecycle_id))
      found.set(key, { ...run, support })
  }
  return [...found.values()]
}

export type RunningRelease = { lifecycle_id: string; support: VersionSupport; places: string[] }

/** Each release of what runs once, with the places in which it runs. */
export function groupByRelease(running: RunningSupport[]): RunningRelease[] {
  const same = Map.groupBy(running, ({ lifecycle_id, support }) => JSON.stringify([lifecycle_id, support.release.name]))
  return [...same.values()].flatMap((all) => {
    const [first] = all
    const places = [...new Set(all.map(describePlace))]
    return first ? [{ lifecycle_id: first.lifecycle_id, support: first.support, places }] : []
  })
}

function describePlace({ via, name, of, version, support }: RunningSupport) {
  if (via === 'distribution') return `${support.product.label} ${version} in ${of}`
  return via === 'component' ? `${name} ${version} in ${of}` : `${of}:${name} ${version}`
}

/** Places in which a release runs that are named. */
const namedPlaces = 5

/** Such as 'OpenSSL 3.0 is supported until 2026-09-07; 3.5 is supported until 2030-04-08. Runs as openssl:openssl 3.0.6.' */
export function describeRunning({ support: { product, release, next }, places }: Omit<RunningRelease, 'lifecycle_id'>) {
  const more = places.length - namedPlaces
  const named = [...places.slice(0, namedPlaces), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `${product.label} ${describeSupport(release, next)}. Runs as ${named}.`
}

/** Releases that are named at once; the others are counted. */
const namedReleases = 10

/** Running releases without fixes now, or in 90 days, in words: those still to end first, then those that ended last. */
export async function findEndingReleases(db: Db, org_id: number, now: Date) {
  const soon = soonAfter(now)
  const ending = groupByRelease(await findRunningSupports(db, org_id, now)).filter(({ support }) =>
    isEnding(support.release, soon),
  )
  const day = ({ support }: RunningRelease) => support.release.fixes_until ?? ''
  const [over, running] = [true, false].map((isOver) =>
    ending
      .filter(({ support: { release } }) => (release.state === 'ended' || release.state === 'extended') === isOver)
      .toSorted((a, b) => compareText(day(a), day(b))),
  )
  const ordered = [...(running ?? []), ...(over ?? []).toReversed()]
  return {
    support_ends: ordered.slice(0, namedReleases).map(describeRunning),
    more_ends: Math.max(0, ordered.length - namedReleases),
  }
}

/** The numbers of items, or components of an inventory, whose versions are in a state; of `unknown` those that are not, by version. */
export async function findInState(
  db: Db,
  org_id: number,
  { via, inventory_id = 0, asked }: { via: RunningVersion['via']; inventory_id?: number | SQL; asked: EndOfLife },
  now: Date,
) {
  const known = (await findRunningSupports(db, org_id, now, inventory_id)).filter((run) => run.via === via)
  const wanted = asked === 'unknown' ? known : known.filter(({ support }) => isInState(support, asked, now))
  return JSON.stringify(wanted.map(({ id, version }) => (asked === 'unknown' ? `${id} ${version}` : id)))
}
