import { sql } from 'drizzle-orm'
import { isAborted } from '../db/guard'
import { bulk, readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { toRunVerdict } from '../domain/versions/affected'
import { judgedKinds, verdictRank, type JudgedKind } from '../domain/versions/verdict'
import { Failure } from '../http/errors'
import { compileStatements, type GroupedRow } from './compile'
import { cutChunks, tables } from './statements'
import { kbVersionQuery, requireKbVersion } from '../watchlist/kb-version'

export type Run = { item_id: number; versions: string[] }

/** So many vulnerabilities are judged at once, unless one item has more. */
const maxJudged = 5_000
const maxAttempts = 8

/** Notes the versions to be judged with their ranges. Verdicts are the same for everybody, so they may be written before they are needed. */
export async function judgeNewVersions(db: Db, kind: JudgedKind, runs: Run[]) {
  const unjudged = await findUnjudged(db, kind, runs)
  const sizes = await findSizes(db, kind, unjudged)
  const countJudged = ({ item_id, versions }: Run) => (sizes.get(item_id) ?? 0) * versions.length + 1
  for (const part of cutChunks(unjudged, maxJudged, countJudged))
    await writeVerdicts(db, kind, part, { follow: () => noteVersions(db, kind, part) })
}

const listPairs = (runs: Run[]) =>
  runs.flatMap(({ item_id, versions }) => versions.map((version) => [item_id, version] as const))

/** From now on a merge judges them when it changes their ranges. */
export const noteVersions = (db: Db, kind: JudgedKind, runs: Run[]) =>
  bulk(
    db,
    `INSERT INTO judged_versions(kind, item_id, version) SELECT ?2, value->>0, value->>1 FROM jsonb_each(?1) WHERE TRUE
     ON CONFLICT DO NOTHING`,
    listPairs(runs),
    kind,
  )

async function findUnjudged(db: Db, kind: JudgedKind, runs: Run[]): Promise<Run[]> {
  const found = await readBulk<{ item_id: number; version: string }>(
    db,
    `SELECT DISTINCT j.value->>0 AS item_id, j.value->>1 AS version FROM jsonb_each(?1) j
     WHERE NOT EXISTS (SELECT 1 FROM judged_versions r WHERE r.kind = ?2 AND r.item_id = j.value->>0 AND r.version = j.value->>1)`,
    listPairs(runs),
    kind,
  )
  const byItem = Map.groupBy(found, ({ item_id }) => item_id)
  return [...byItem].map(([item_id, rows]) => ({ item_id, versions: rows.map(({ version }) => version) }))
}

/** How many vulnerabilities each item has. */
export async function findSizes(db: Db, kind: JudgedKind, runs: Run[]) {
  const found = await readBulk<{ id: number; vulns_count: number }>(
    db,
    `SELECT i.id, i.vulns_count FROM jsonb_each(?1) j CROSS JOIN ${tables[kind].table} i WHERE i.id = j.value`,
    runs.map(({ item_id }) => item_id),
  )
  return new Map(found.map((row) => [row.id, row.vulns_count]))
}

type VerdictRow = [item_id: number, version: string, vuln_id: number, rank: number]

type Written = {
  /** Statements for the batch that writes other verdicts on these vulnerabilities. */
  follow: (vuln_ids: number[]) => D1PreparedStatement[]
  faults?: string[]
}

/**
 * Writes what differs from the stored verdicts, and answers how many do. Nobody may merge between our reading and our writing;
 * where somebody did, we read again.
 */
export async function writeVerdicts(db: Db, kind: JudgedKind, runs: Run[], { follow, faults }: Written) {
  for (let attempt = 1; ; attempt++) {
    const { kb_version, statements, stored } = await findVersions(db, kind, runs)
    const judged = runs.flatMap((run) => judgeVersions(kind, run, { rows: statements.get(run.item_id) ?? [], faults }))
    const { put, gone } = findOther(judged, stored)
    const following = follow([...new Set([...put, ...gone].map(([, , vuln_id]) => vuln_id))])
    if (!put.length && !gone.length && !following.length) return 0
    try {
      await db.$client.batch([
        requireKbVersion(db, kb_version),
        ...bulk(
          db,
          `DELETE FROM version_verdicts WHERE (kind, item_id, version, vuln_id) IN (
             SELECT ?2, value->>0, value->>1, value->>2 FROM jsonb_each(?1))`,
          gone,
          kind,
        ),
        ...bulk(
          db,
          `INSERT INTO version_verdicts(kind, item_id, version, vuln_id, verdict)
           SELECT ?2, value->>0, value->>1, value->>2, value->>3 FROM jsonb_each(?1) WHERE TRUE
           ON CONFLICT DO UPDATE SET verdict = excluded.verdict`,
          put,
          kind,
        ),
        ...following,
      ])
      return put.length + gone.length
    } catch (error) {
      if (!isAborted(error, 'knowledge base')) throw error
      if (attempt === maxAttempts)
        throw new Failure(409, 'conflict', 'The knowledge base is being written: try again in a moment')
    }
  }
}

type RangesRow = GroupedRow & { item_id: number }
type StoredRow = { item_id: number; version: string; vuln_id: number; verdict: number }

// Many vulnerabilities say the same ranges, which are handed over once.
async function findVersions(db: Db, kind: JudgedKind, runs: Run[]) {
  const [links, affected, item] = [tables[kind].links, tables[kind].affected, tables[kind].id].map((name) =>
    sql.raw(name),
  )
  const ids = JSON.stringify(runs.map(({ item_id }) => item_id))
  const [version, ranges, ...stored] = await db.$client.batch<Record<string, unknown>>([
    statement(db, kbVersionQuery(db)),
    statement(
      db,
      sql`SELECT a.${item} AS item_id, a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids
        FROM jsonb_each(${ids}) j CROSS JOIN ${links} l ON l.${item} = j.value
        CROSS JOIN ${affected} a ON a.vuln_id = l.vuln_id AND a.${item} = l.${item} GROUP BY 1, 2, 3`,
    ),
    ...bulk(
      db,
      `SELECT v.item_id, v.version, v.vuln_id, v.verdict FROM jsonb_each(?1) j CROSS JOIN version_verdicts v
       ON v.kind = ?2 AND v.item_id = j.value->>0 AND v.version = j.value->>1`,
      listPairs(runs),
      kind,
    ),
  ])
  return {
    kb_version: Number(version?.results[0]?.value),
    statements: Map.groupBy((ranges?.results ?? []) as RangesRow[], ({ item_id }) => item_id),
    stored: (stored.flatMap(({ results }) => results) as StoredRow[]).map(
      ({ item_id, version: runVersion, vuln_id, verdict }): VerdictRow => [item_id, runVersion, vuln_id, verdict],
    ),
  }
}

/** Those that are known. */
function judgeVersions(
  kind: JudgedKind,
  { item_id, versions }: Run,
  { rows, faults }: { rows: GroupedRow[]; faults: string[] | undefined },
): VerdictRow[] {
  const { judge } = compileStatements(rows, { name: `${kind} ${item_id}`, faults })
  return versions.flatMap((version) =>
    judge({ version }).flatMap(([{ vuln_ids }, judgement]) => {
      const verdict = toRunVerdict(judgement)
      return verdict === 'unknown' ? [] : vuln_ids.map((id): VerdictRow => [item_id, version, id, verdictRank(verdict)])
    }),
  )
}

const unknownRank = verdictRank('unknown')
const toKey = ([item_id, version, vuln_id]: VerdictRow) => JSON.stringify([item_id, version, vuln_id])

/** An unknown verdict has no row, or one that says so. */
function findOther(judged: VerdictRow[], stored: VerdictRow[]) {
  const before = new Map(stored.map((row) => [toKey(row), row[3]]))
  const after = new Set(judged.map(toKey))
  return {
    put: judged.filter((row) => before.get(toKey(row)) !== row[3]),
    gone: stored.filter((row) => !after.has(toKey(row)) && row[3] !== unknownRank),
  }
}

/** So many versions leave at once. */
const maxLeaving = 500

/** Versions that nobody runs any more, with their verdicts. */
export async function removeUnrun(db: Db) {
  const isRun = judgedKinds.map(
    (kind) => `r.kind = '${kind}' AND EXISTS (SELECT 1 FROM monitored_${kind}s m, json_each(m.versions) n
      WHERE m.${kind}_id = r.item_id AND n.value = r.version)`,
  )
  const unrun = sql.raw(
    `SELECT r.kind, r.item_id, r.version FROM judged_versions r WHERE NOT (${isRun.join(' OR ')}) LIMIT ${maxLeaving}`,
  )
  for (let left = true; left;) {
    const [, gone] = await db.$client.batch(
      ['version_verdicts', 'judged_versions'].map((table) =>
        statement(db, sql`DELETE FROM ${sql.raw(table)} WHERE (kind, item_id, version) IN (${unrun})`),
      ),
    )
    left = gone?.meta.changes === maxLeaving
  }
}
