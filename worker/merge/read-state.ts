import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stampOf } from '../db/time'
import type { Records } from '../domain/merge'
import type { SourceKey } from '../domain/record'
import { nameOf, nothingAffected, splitName } from './derive'
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
    db.$client.prepare("SELECT value FROM counters WHERE name = 'kb_version'"),
    ...bulk(
      db,
      `SELECT v.cveid, v.id, r.source, r.hash, r.modified FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
       LEFT JOIN vuln_records r ON r.vuln_id = v.id AND r.source = j.value->>1`,
      wanted,
    ),
  ])
  const byCve = new Map<string, Known>()
  for (const { cveid, id, source, hash, modified } of rowsOf<HashRow>(rows)) {
    const known = byCve.get(cveid) ?? { id, records: new Map<SourceKey, Stored>() }
    byCve.set(cveid, known)
    if (source !== null) known.records.set(source, storedOf(hash, modified))
  }
  return { kb_version: Number(version?.results[0]?.value), byCve }
}

type HashRow = InDb & { cveid: string; id: number; source: SourceKey | null }
type InDb = { hash: string; modified: number | null }

const storedOf = (hash: string, modified: number | null): Stored => ({
  hash,
  modified: modified === null ? null : stampOf(modified),
})

export type Epss = { epss: number; percentile: number }

export type Before = {
  id: number
  updated_at: string
  derived: Derived
  records: Records
  stored: Map<SourceKey, Stored>
  affected: Affected
}

export type State = {
  vulns: Map<string, Before>
  /** Ids of the products and packages that are named, by `nameOf`. */
  ids: Record<Kind, Map<string, number>>
  epss: Map<string, Epss>
}

/** All that merging these records into the knowledge base depends on. */
export async function readState(
  db: Db,
  known: Map<string, Known>,
  fresh: Pick<Hashed, 'cveid' | Kind>[],
): Promise<State> {
  const cveids = [...new Set(fresh.map(({ cveid }) => cveid))]
  const ids = cveids.flatMap((cveid) => known.get(cveid)?.id ?? [])
  const created = cveids.filter((cveid) => !known.has(cveid))
  const inIds = 'IN (SELECT value FROM jsonb_each(?1))'
  const groups = [
    bulk(db, `SELECT * FROM vulns WHERE id ${inIds}`, ids),
    bulk(db, `SELECT vuln_id, source, hash, modified, hex(body) AS body FROM vuln_records WHERE vuln_id ${inIds}`, ids),
    bulk(db, `SELECT cveid, epss, percentile FROM epss_scores WHERE cveid ${inIds}`, created),
    ...kinds.flatMap(({ kind, table, first, id, affected }) => [
      bulk(
        db,
        `SELECT a.vuln_id, a.${id} AS id, n.${first} AS first, n.name, a.source, a.ranges, json_array_length(a.ranges) AS count
         FROM ${affected} a JOIN ${table} n ON n.id = a.${id} WHERE a.vuln_id ${inIds}`,
        ids,
      ),
      bulk(
        db,
        `SELECT n.id, n.${first} AS first, n.name FROM jsonb_each(?1) j JOIN ${table} n ON n.${first} = j.value->>0 AND n.name = j.value->>1`,
        namedIn(fresh, kind),
      ),
    ]),
  ]
  const answers = await answersOf(db, groups)
  const [vulns, records, epss] = answers

  const state: State = {
    vulns: new Map(),
    ids: { products: new Map(), packages: new Map() },
    epss: new Map(rowsOf<Epss & { cveid: string }>(epss).map(({ cveid, ...scores }) => [cveid, scores])),
  }
  const byId = new Map<number, Before>()
  for (const row of rowsOf<Row>(vulns)) {
    const before: Before = {
      id: row.id,
      updated_at: stampOf(row.updated_at),
      derived: derivedOf(row),
      records: {},
      stored: new Map(),
      affected: nothingAffected(),
    }
    byId.set(row.id, before)
    state.vulns.set(row.cveid, before)
  }
  for (const { vuln_id, source, body, hash, modified } of rowsOf<RecordRow>(records)) {
    const before = byId.get(vuln_id)
    if (!before) continue
    before.records[source] = unpackBody(body, before.derived.summary)
    before.stored.set(source, storedOf(hash, modified))
  }
  for (const [at, { kind }] of kinds.entries()) {
    const [affected, named] = answers.slice(3 + 2 * at)
    for (const row of rowsOf<AffectedRow>(affected)) {
      const name = nameOf(row.first, row.name)
      state.ids[kind].set(name, row.id)
      const before = byId.get(row.vuln_id)
      if (before) addRanges(before.affected[kind], name, row)
    }
    for (const row of rowsOf<NameRow>(named)) state.ids[kind].set(nameOf(row.first, row.name), row.id)
  }
  return state
}

function namedIn(fresh: Pick<Hashed, Kind>[], kind: Kind) {
  const named = new Set(fresh.flatMap((one) => [...one[kind].keys()]))
  return [...named].map((name) => splitName(name))
}

/** The answers of each group of statements, asked in one batch. */
async function answersOf(db: Db, groups: D1PreparedStatement[][]) {
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
}
type RecordRow = InDb & { vuln_id: number; source: SourceKey; body: string }
type NameRow = { id: number; first: string; name: string }
type AffectedRow = NameRow & { vuln_id: number; source: SourceKey; ranges: string; count: number }

// SQLite keeps booleans and times as numbers.
function derivedOf(row: Row): Derived {
  const { published, modified, is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, kev_ransomware } = row
  return {
    ...row,
    published: published === null ? null : stampOf(published),
    modified: modified === null ? null : stampOf(modified),
    kev_ransomware: kev_ransomware === null ? null : Boolean(kev_ransomware),
    is_exploitable: Boolean(is_exploitable),
    is_confirmed: Boolean(is_confirmed),
    is_in_the_news: Boolean(is_in_the_news),
    is_in_the_wild: Boolean(is_in_the_wild),
  }
}

const rowsOf = <Read>(answers: D1Result<Record<string, unknown>>[] = []) =>
  answers.flatMap(({ results }) => results as Read[])
