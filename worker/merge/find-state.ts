import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { formatSeconds } from '../db/time'
import type { Records } from '../domain/words/merge'
import { unpackRanges } from '../domain/versions/stored-ranges'
import type { SourceKey, VulnRecord } from '../domain/words/record'
import { joinName, nothingAffected, splitName } from './derive'
import type { Affected, Derived, NameRanges, Ranges } from './derive'
import { isNamedAnyway } from './guesses'
import { unpackBody } from './record-body'
import { kinds, type Kind } from './kinds'
import type { Hashed } from './record-hashes'

export type Stored = { hash: string; modified: string | null }
export type Known = { id: number; records: Map<SourceKey, Stored> }

export async function findHashes(db: Db, wanted: [cveid: string, key: SourceKey][]) {
  const [version, ...rows] = await db.$client.batch<Record<string, unknown>>([
    statement(db, sql`SELECT value FROM counters WHERE name = 'kb_version'`),
    ...bulk(
      db,
      `SELECT v.cveid, v.id, r.source, r.hash, r.modified FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
       LEFT JOIN vuln_records r ON r.vuln_id = v.id AND r.source = j.value->>1`,
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
  /** Of the moment of this reading. */
  kb_version: number
  /** Somebody waits for a name that is not known yet. */
  isAnyAwaited: boolean
  vulns: Map<string, Before>
  /** Ids of the products and packages that are named, by `joinName`. */
  ids: Record<Kind, Map<string, number>>
  epss: Map<string, Epss>
  /** Names that records guess and others state, by `joinName`. */
  known: Set<string>
}

/** Without what is `known` of them, vulnerabilities are looked up by their names. */
export async function findState(
  db: Db,
  known: Map<string, Known> | undefined,
  fresh: (Pick<Hashed, 'cveid' | Kind> & { records: VulnRecord[] })[],
): Promise<State> {
  const cveids = [...new Set(fresh.map(({ cveid }) => cveid))]
  const ids = known ? cveids.flatMap((cveid) => known.get(cveid)?.id ?? []) : cveids
  const created = known ? cveids.filter((cveid) => !known.has(cveid)) : cveids
  const inCveids = 'IN (SELECT value FROM jsonb_each(?1))'
  const inIds = known ? inCveids : `IN (SELECT id FROM vulns WHERE cveid ${inCveids})`
  const [products, packages] = kinds
  const [now, vulns, records, epss, ranges, packageRanges, names, packageNames] = await runGroups(db, [
    [
      statement(
        db,
        sql`SELECT value, EXISTS (SELECT 1 FROM awaited_names) AS is_awaited FROM counters WHERE name = 'kb_version'`,
      ),
    ],
    bulk(db, `SELECT * FROM vulns WHERE id ${inIds}`, ids),
    bulk(db, `SELECT vuln_id, source, hash, modified, hex(body) AS body FROM vuln_records WHERE vuln_id ${inIds}`, ids),
    bulk(db, `SELECT cveid, epss, percentile FROM epss_scores WHERE cveid ${inCveids}`, created),
    selectAffected(db, products, inIds, ids),
    selectAffected(db, packages, inIds, ids),
    selectIds(db, products, fresh),
    selectIds(db, packages, fresh),
  ])
  const state: State = {
    kb_version: Number(now?.[0]?.results[0]?.value),
    isAnyAwaited: now?.[0]?.results[0]?.is_awaited === 1,
    vulns: new Map(),
    ids: { products: new Map(), packages: new Map() },
    epss: new Map(allRows<Epss & { cveid: string }>(epss).map(({ cveid, ...scores }) => [cveid, scores])),
    known: new Set(),
  }
  const byId = addVulns(state, allRows<Row>(vulns))
  addRecords(byId, allRows<RecordRow>(records))
  addAffected(state, byId, 'products', allRows<AffectedRow>(ranges))
  addAffected(state, byId, 'packages', allRows<AffectedRow>(packageRanges))
  addIds(state.ids.products, allRows<NameRow>(names))
  addIds(state.ids.packages, allRows<NameRow>(packageNames))
  await addNamedIds(
    db,
    state,
    fresh.flatMap((vuln) => vuln.records),
  )
  return state
}

/** Statements of each source on the products or packages of these vulnerabilities. */
const selectAffected = (db: Db, { table, first, id, affected }: NameTable, inIds: string, ids: (string | number)[]) =>
  bulk(
    db,
    `SELECT a.vuln_id, a.${id} AS id, n.${first} AS first, n.name, a.source, a.ranges, json_array_length(a.ranges) AS count
     FROM ${affected} a JOIN ${table} n ON n.id = a.${id} WHERE a.vuln_id ${inIds}`,
    ids,
  )

/** The ids of the known products or packages that the new records name. */
function selectIds(db: Db, { kind, table, first }: NameTable, fresh: Pick<Hashed, Kind>[]) {
  const names = new Set(fresh.flatMap((vuln) => [...vuln[kind].keys()]))
  return bulk(
    db,
    `SELECT n.id, n.${first} AS first, n.name
     FROM jsonb_each(?1) j JOIN ${table} n ON n.${first} = j.value->>0 AND n.name = j.value->>1`,
    [...names].map((name) => splitName(name)),
  )
}

type NameTable = (typeof kinds)[number]

/** Adds the ids of what titles and catalogues name in new and stored records: the merge may now count them as affected. */
async function addNamedIds(db: Db, { vulns, ids, known }: State, fresh: VulnRecord[]) {
  const stored = [...vulns.values()].flatMap(({ records }) => Object.values(records).flatMap((record) => record ?? []))
  const all = [...fresh, ...stored].flatMap(({ named = [], guesses = [] }) => [...named, ...guesses])
  const names = new Set(all.map(({ vendor, product }) => joinName(vendor, product)))
  if (!names.size) return
  const found = await db.all<NameRow & { is_known: number }>(sql`
    SELECT p.id, p.vendor AS first, p.name, ${isNamedAnyway} AS is_known
    FROM jsonb_each(${JSON.stringify([...names].map(splitName))}) j
    JOIN products p ON p.vendor = j.value->>0 AND p.name = j.value->>1`)
  addIds(ids.products, found)
  for (const { first, name, is_known } of found) if (is_known) known.add(joinName(first, name))
}

/** Adds the vulnerabilities, with empty records and products. */
function addVulns(state: State, rows: Row[]) {
  const byId = new Map<number, Before>()
  for (const row of rows) {
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
  return byId
}

function addRecords(byId: Map<number, Before>, rows: RecordRow[]) {
  for (const { vuln_id, source, body, hash, modified } of rows) {
    const before = byId.get(vuln_id)
    if (!before) continue
    before.records[source] = unpackBody(body, before.derived.summary)
    before.stored.set(source, toStored(hash, modified))
  }
}

function addAffected({ ids }: State, byId: Map<number, Before>, kind: Kind, rows: AffectedRow[]) {
  addIds(ids[kind], rows)
  for (const row of rows) {
    const before = byId.get(row.vuln_id)
    if (before) addRanges(before.affected[kind], joinName(row.first, row.name), row)
  }
}

function addIds(ids: Map<string, number>, rows: NameRow[]) {
  for (const { id, first, name } of rows) ids.set(joinName(first, name), id)
}

/** The answers of each group of statements, asked in one batch. */
async function runGroups(db: Db, groups: D1PreparedStatement[][]) {
  const answers = await db.$client.batch<Record<string, unknown>>(groups.flat())
  let at = 0
  return groups.map((group) => answers.slice(at, (at += group.length)))
}

const addRanges = (names: NameRanges, name: string, { source, ranges, count }: AffectedRow) =>
  names.set(
    name,
    (names.get(name) ?? new Map<SourceKey, Ranges>()).set(source, {
      json: ranges,
      count: ranges.includes('|') ? unpackRanges(ranges).length : count,
    }),
  )

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
  const { published, modified, kev_ransomware } = row
  return {
    ...row,
    published: published === null ? null : formatSeconds(published),
    modified: modified === null ? null : formatSeconds(modified),
    kev_ransomware: kev_ransomware === null ? null : Boolean(kev_ransomware),
    is_exploitable: Boolean(row.is_exploitable),
    is_confirmed: Boolean(row.is_confirmed),
    is_in_the_news: Boolean(row.is_in_the_news),
    is_in_the_wild: Boolean(row.is_in_the_wild),
    is_malicious: Boolean(row.is_malicious),
  }
}

const allRows = <Read>(answers: D1Result<Record<string, unknown>>[] = []) =>
  answers.flatMap(({ results }) => results as Read[])
