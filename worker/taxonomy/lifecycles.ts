import { and, eq, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { findOwnRelease, findSuccessor, isEnding, soonDays, toReleaseSupport } from '../domain/versions/end-of-life'
import type { Release } from '../domain/versions/end-of-life'
import { resolveAlias } from '../domain/names/product-names'
import type { JudgedKind } from '../domain/versions/verdict'
import { lifecycleNames, lifecycles } from '../schema/lifecycles'
import type { EndOfLife, Lifecycle, VersionSupport } from './contract'

type LifecycleNamed = { kind: JudgedKind; first: string; name: string }

/** Of a product or package, as it is today; more than one where its name stands at several. */
export async function findLifecycles(db: Db, { kind, first, name }: LifecycleNamed, now: Date): Promise<Lifecycle[]> {
  const found = await db
    .select({
      id: lifecycles.id,
      label: lifecycles.label,
      releases: lifecycles.releases,
      pinned: lifecycleNames.release,
    })
    .from(lifecycleNames)
    .innerJoin(lifecycles, eq(lifecycles.id, lifecycleNames.lifecycle_id))
    .where(and(eq(lifecycleNames.kind, kind), eq(lifecycleNames.first, first), eq(lifecycleNames.name, name)))
    .orderBy(lifecycles.id)
  return found.map((one) => toLifecycle(one, now))
}

export type StoredLifecycle = { id: string; label: string; releases: string; pinned?: string | null }

/** All there are, by their names at endoflife.date. */
export async function listLifecycles(db: Db, ids: string[], now: Date): Promise<Map<string, Lifecycle>> {
  if (!ids.length) return new Map()
  const stored = await db.all<StoredLifecycle>(
    sql`SELECT l.id, l.label, l.releases FROM json_each(${JSON.stringify(ids)}) j CROSS JOIN lifecycles l ON l.id = j.value`,
  )
  return new Map(stored.map((one) => [one.id, toLifecycle(one, now)]))
}

/** Whether a release is what is asked for; `null` is one that nobody lists. */
export function isInState(support: VersionSupport | null, asked: EndOfLife, now: Date) {
  if (!support) return asked === 'unknown'
  return asked === 'ending' ? isEnding(support.release, soonAfter(now)) : support.release.state === asked
}

export function toLifecycle({ id, label, releases, pinned = null }: StoredLifecycle, now: Date): Lifecycle {
  const day = stamp(now).slice(0, 10)
  return {
    label,
    link: `https://endoflife.date/${encodeURIComponent(id)}`,
    pinned,
    releases: (JSON.parse(releases) as Release[]).map((one) => toReleaseSupport(one, day)),
  }
}

/** The day (YYYY-MM-DD) before which an end is soon. */
export const soonAfter = (now: Date) => stamp(plusSeconds(now, soonDays * 86_400)).slice(0, 10)

/** Of a version of it; null where no release that is listed holds the version. */
export function findVersionSupport(lifecycle: Lifecycle, version: string, now: Date) {
  const { label, link, releases } = lifecycle
  const release = findOwnRelease(lifecycle, version)
  if (!release) return null
  const soon = soonAfter(now)
  const next = isEnding(release, soon) ? (findSuccessor(releases, release, soon) ?? null) : null
  return { product: { label, link }, release, next } satisfies VersionSupport
}

/** A distribution by its name at endoflife.date, in `first`. */
type SupportName = LifecycleNamed | { kind: 'distribution'; first: string; name: '' }
/** `stored`: what its only name stands for, where that was read already. */
export type SupportedVersion = { version: string; names: SupportName[]; stored?: StoredLifecycle[] | undefined }

/** JSON of what a name of our own products or packages stands for. */
export const storedLifecycles = ({ kind, first, name }: Record<keyof LifecycleNamed, SQL>) => sql`(
  SELECT json_group_array(json_object('id', l.id, 'label', l.label, 'releases', l.releases, 'pinned', n.release))
  FROM lifecycle_names n CROSS JOIN lifecycles l ON l.id = n.lifecycle_id
  WHERE n.kind = ${kind} AND n.first = ${first} AND n.name = ${name})`

/** As `lifecycle_names` has it: a product by the name that counts among its aliases. */
function nameKey({ kind, first, name }: SupportName) {
  const { vendor, product } =
    kind === 'product' ? resolveAlias({ vendor: first, product: name }) : { vendor: first, product: name }
  return JSON.stringify([kind, vendor, product])
}

/** Whether it is no alias, which only code reads. */
export const isStoredName = (name: SupportName) => nameKey(name) === JSON.stringify([name.kind, name.first, name.name])

/** Of versions of many names at once, in their order; null where nobody lists the release. */
export async function findVersionSupports(db: Db, versions: SupportedVersion[], now: Date) {
  const findSupport = await findNamedSupports(
    db,
    versions.flatMap(({ names, stored }) => (stored ? [] : names)),
    now,
  )
  return versions.map(findSupport)
}

/** Tells of any version of these names, null where nobody lists the release. */
export async function findNamedSupports(db: Db, all: SupportName[], now: Date) {
  const names = `[${[...new Set(all.map(nameKey))].join()}]`
  const asked = sql`
    SELECT n.kind, n.first, n.name, n.release AS pinned, l.id, l.label, l.releases FROM json_each(${names}) j
    CROSS JOIN lifecycle_names n ON n.kind = j.value ->> 0 AND n.first = j.value ->> 1 AND n.name = j.value ->> 2
    CROSS JOIN lifecycles l ON l.id = n.lifecycle_id
    UNION ALL SELECT j.value ->> 0, l.id, '', NULL, l.id, l.label, l.releases FROM json_each(${names}) j
    CROSS JOIN lifecycles l ON l.id = j.value ->> 1 WHERE j.value ->> 0 = 'distribution' ORDER BY 5`
  const rows = names === '[]' ? [] : await db.all<SupportName & StoredLifecycle>(asked)
  const byName = Map.groupBy(rows, nameKey)
  return ({ version, names: own, stored }: SupportedVersion) => {
    const found = stored ?? own.flatMap((name) => byName.get(nameKey(name)) ?? [])
    return (
      found.map((one) => findVersionSupport(toLifecycle(one, now), version, now)).find((one) => one !== null) ?? null
    )
  }
}
