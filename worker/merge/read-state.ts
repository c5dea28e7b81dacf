import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { formatSeconds } from '../db/time'
import type { Records } from '../domain/merge'
import type { ProductName, SourceKey } from '../domain/record'
import { joinName, nothingAffected, splitName } from './derive'
import type { Affected, Derived, NameRanges, Ranges } from './derive'
import { unpackBody } from './record-body'
import { kinds } from './kinds'
import type { Kind } from './kinds'
import type { Hashed } from './hashed'

/** `hash` and `modified` of one record that is here. */
export type Stored = { hash: string; modified: string | null }
export type Known = { id: number; records: Map<SourceKey, Stored> }

/** Which of these vulnerabilities are here, with the hashes of their records; and the version of the knowledge base. */
export async function readHashes(db: Db, wanted: [cveid: string, key: SourceKey][]) {
  const [version, ...rows] = await db.$client.batch<Record<string, unknown>>([
    db.$client.prepare("select value from counters where name = 'kb_version'"),
    ...bulk(
      db,
      `select v.cveid, v.id, r.source, r.hash, r.modified from jsonb_each(?1) j join vulns v on v.cveid = j.value->>0
       left join vuln_records r on r.vuln_id = v.id and r.source = j.value->>1`,
      wanted,
    ),
  ])
  const byCve = new Map<string, Known>()
  for (const { cveid, id, source, hash, modified } of allRows<HashRow>(rows)) {
    const known = byCve.get(cveid) ?? { id, records: new Map<SourceKey, Stored>() }
    byCve.set(cveid, known)
    if (source !== null) known.records.set(source, toStored(hash, modified))
  }
  return { kb_version: Number(version?.results[0]?.value), byCve }
}

type HashRow = InDb & { cveid: string; id: number; source: SourceKey | null }
type InDb = { hash: string; modified: number | null }

const toStored = (hash: string, modified: number | null): Stored => ({
  hash,
  modified: modified === null ? null : formatSeconds(modified),
})

export type Epss = { epss: number; percentile: number }

export type Before = {
  id: number
  updated_at: string
  derived: Derived
  epss: number | null
  records: Records
  stored: Map<SourceKey, Stored>
  affected: Affected
}

export type State = {
  vulns: Map<string, Before>
  /** Ids of the products and packages that are named, by `joinName`. */
  ids: Record<Kind, Map<string, number>>
  epss: Map<string, Epss>
}

/** All that merging these records into the knowledge base depends on. */
export async function readState(
  db: Db,
  known: Map<string, Known>,
  fresh: (Pick<Hashed, 'cveid' | Kind> & { named: ProductName[] })[],
): Promise<State> {
  const cveids = [...new Set(fresh.map(({ cveid }) => cveid))]
  const ids = cveids.flatMap((cveid) => known.get(cveid)?.id ?? [])
  const created = cveids.filter((cveid) => !known.has(cveid))
  const inIds = 'in (select value from jsonb_each(?1))'
  const groups = [
    bulk(db, `select * from vulns where id ${inIds}`, ids),
    bulk(db, `select vuln_id, source, hash, modified, hex(body) as body from vuln_records where vuln_id ${inIds}`, ids),
    bulk(db, `select cveid, epss, percentile from epss_scores where cveid ${inIds}`, created),
    ...kinds.flatMap(({ kind, table, first, id, affected }) => [
      bulk(
        db,
        `select a.vuln_id, a.${id} as id, n.${first} as first, n.name, a.source, a.ranges, json_array_length(a.ranges) as count
         from ${affected} a join ${table} n on n.id = a.${id} where a.vuln_id ${inIds}`,
        ids,
      ),
      bulk(
        db,
        `select n.id, n.${first} as first, n.name from jsonb_each(?1) j join ${table} n on n.${first} = j.value->>0 and n.name = j.value->>1`,
        namedIn(fresh, kind),
      ),
    ]),
  ]
  const state = buildState(await readGroups(db, groups))
  await readNamed(
    db,
    state,
    fresh.flatMap(({ named }) => named),
  )
  return state
}

/** The ids of what titles and catalogues name, in the new records and the stored ones: it may count from now on. */
async function readNamed(db: Db, { vulns, ids }: State, given: ProductName[]) {
  const stored = [...vulns.values()].flatMap(({ records }) => Object.values(records).flatMap((one) => one?.named ?? []))
  const named = new Set([...given, ...stored].map(({ vendor, product }) => joinName(vendor, product)))
  const missing = [...named].filter((name) => !ids.products.has(name))
  if (!missing.length) return
  const { results } = await db.$client
    .prepare(
      `select p.id, p.vendor as first, p.name from jsonb_each(?1) j join products p on p.vendor = j.value->>0 and p.name = j.value->>1`,
    )
    .bind(JSON.stringify(missing.map(splitName)))
    .all<NameRow>()
  for (const { id, first, name } of results) ids.products.set(joinName(first, name), id)
}

type Answers = D1Result<Record<string, unknown>>[][]

function buildState(answers: Answers): State {
  const [vulns, records, epss] = answers

  const state: State = {
    vulns: new Map(),
    ids: { products: new Map(), packages: new Map() },
    epss: new Map(allRows<Epss & { cveid: string }>(epss).map(({ cveid, ...scores }) => [cveid, scores])),
  }
  const byId = new Map<number, Before>()
  for (const row of allRows<Row>(vulns)) {
    const before: Before = {
      id: row.id,
      updated_at: formatSeconds(row.updated_at),
      derived: toDerived(row),
      epss: row.epss,
      records: {},
      stored: new Map(),
      affected: nothingAffected(),
    }
    byId.set(row.id, before)
    state.vulns.set(row.cveid, before)
  }
  for (const { vuln_id, source, body, hash, modified } of allRows<RecordRow>(records)) {
    const before = byId.get(vuln_id)
    if (!before) continue
    before.records[source] = unpackBody(body, before.derived.summary)
    before.stored.set(source, toStored(hash, modified))
  }
  for (const [at, { kind }] of kinds.entries()) {
    const [affected, named] = answers.slice(3 + 2 * at)
    for (const row of allRows<AffectedRow>(affected)) {
      const name = joinName(row.first, row.name)
      state.ids[kind].set(name, row.id)
      const before = byId.get(row.vuln_id)
      if (before) addRanges(before.affected[kind], name, row)
    }
    for (const row of allRows<NameRow>(named)) state.ids[kind].set(joinName(row.first, row.name), row.id)
  }
  return state
}

function namedIn(fresh: Pick<Hashed, Kind>[], kind: Kind) {
  const named = new Set(fresh.flatMap((one) => [...one[kind].keys()]))
  return [...named].map((name) => splitName(name))
}

/** The answers of each group of statements, asked in one batch. */
async function readGroups(db: Db, groups: D1PreparedStatement[][]) {
  const statements = groups.flat()
  const answers = statements.length ? await db.$client.batch<Record<string, unknown>>(statements) : []
  let at = 0
  return groups.map((group) => answers.slice(at, (at += group.length)))
}

const addRanges = (names: NameRanges, name: string, { source, ranges, count }: AffectedRow) =>
  names.set(name, (names.get(name) ?? new Map<SourceKey, Ranges>()).set(source, { json: ranges, count }))

type Row = Omit<Derived, 'published' | 'modified'> & {
  id: number
  published: number | null
  modified: number | null
  updated_at: number
  epss: number | null
}
type RecordRow = InDb & { vuln_id: number; source: SourceKey; body: string }
type NameRow = { id: number; first: string; name: string }
type AffectedRow = NameRow & { vuln_id: number; source: SourceKey; ranges: string; count: number }

// SQLite keeps booleans and times as numbers.
function toDerived(row: Row): Derived {
  const { published, modified, is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, kev_ransomware } = row
  return {
    ...row,
    published: published === null ? null : formatSeconds(published),
    modified: modified === null ? null : formatSeconds(modified),
    kev_ransomware: kev_ransomware === null ? null : Boolean(kev_ransomware),
    is_exploitable: Boolean(is_exploitable),
    is_confirmed: Boolean(is_confirmed),
    is_in_the_news: Boolean(is_in_the_news),
    is_in_the_wild: Boolean(is_in_the_wild),
  }
}

const allRows = <Read>(answers: D1Result<Record<string, unknown>>[] = []) =>
  answers.flatMap(({ results }) => results as Read[])
