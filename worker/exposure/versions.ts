import { sql } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { toRunVerdict } from '../domain/affected'
import { verdictRank } from '../domain/verdict'
import type { JudgedKind } from '../domain/verdict'
import { Failure } from '../http/errors'
import { compileStatements, toGrouped } from './compile'
import type { GroupedRow } from './compile'
import { kbVersionQuery, requireKbVersion } from '../watchlist/kb-version'

export type Run = { item_id: number; versions: string[] }

const tables = {
  product: { links: sql.raw('vuln_products'), affected: sql.raw('affected'), items: 'products' },
  package: { links: sql.raw('vuln_packages'), affected: sql.raw('affected_packages'), items: 'packages' },
}

/** So many vulnerabilities are judged at once, unless one item has more. */
const maxJudged = 5_000
const maxAttempts = 8

/** Notes the versions to be judged with their ranges. Verdicts are the same for everybody, so they may be written before they are needed. */
export async function judgeNewVersions(db: Db, kind: JudgedKind, runs: Run[]) {
  for (const part of await chunkBySize(db, kind, await findUnjudged(db, kind, runs)))
    await writeVerdicts(db, kind, part)
}

async function findUnjudged(db: Db, kind: JudgedKind, runs: Run[]): Promise<Run[]> {
  const pairs = runs.flatMap(({ item_id, versions }) => versions.map((version) => [item_id, version]))
  const statements = bulk(
    db,
    `SELECT DISTINCT j.value->>0 AS item_id, j.value->>1 AS version FROM jsonb_each(?1) j
     WHERE NOT EXISTS (SELECT 1 FROM judged_versions r WHERE r.kind = ?2 AND r.item_id = j.value->>0 AND r.version = j.value->>1)`,
    pairs,
    kind,
  )
  if (!statements.length) return []
  const answers = await db.$client.batch<{ item_id: number; version: string }>(statements)
  const byItem = Map.groupBy(
    answers.flatMap(({ results }) => results),
    ({ item_id }) => item_id,
  )
  return [...byItem].map(([item_id, rows]) => ({ item_id, versions: rows.map(({ version }) => version) }))
}

async function chunkBySize(db: Db, kind: JudgedKind, runs: Run[]) {
  const statements = bulk(
    db,
    `SELECT i.id, i.vulns_count FROM jsonb_each(?1) j CROSS JOIN ${tables[kind].items} i WHERE i.id = j.value`,
    runs.map(({ item_id }) => item_id),
  )
  if (!statements.length) return []
  const answers = await db.$client.batch<{ id: number; vulns_count: number }>(statements)
  const sizes = new Map(answers.flatMap(({ results }) => results.map((row) => [row.id, row.vulns_count] as const)))
  const chunks: Run[][] = []
  let size = Infinity
  for (const run of runs) {
    const own = (sizes.get(run.item_id) ?? 0) * run.versions.length + 1
    if (size + own > maxJudged) chunks.push([])
    size = size + own > maxJudged ? own : size + own
    chunks.at(-1)?.push(run)
  }
  return chunks
}

/** Nobody may merge between our reading and our writing; where somebody did, we read again. */
async function writeVerdicts(db: Db, kind: JudgedKind, runs: Run[]) {
  for (let attempt = 1; ; attempt++) {
    const { kb_version, statements } = await findVersionRanges(db, kind, runs)
    const rows = runs.flatMap((run) => judgeVersions(run, statements.get(run.item_id) ?? []))
    try {
      await db.$client.batch([
        requireKbVersion(db, kb_version),
        ...bulk(
          db,
          `INSERT INTO version_verdicts(kind, item_id, version, vuln_id, verdict)
           SELECT ?2, value->>0, value->>1, value->>2, value->>3 FROM jsonb_each(?1) WHERE TRUE
           ON CONFLICT DO UPDATE SET verdict = excluded.verdict WHERE excluded.verdict <> version_verdicts.verdict`,
          rows,
          kind,
        ),
        ...bulk(
          db,
          `INSERT INTO judged_versions(kind, item_id, version) SELECT ?2, value->>0, value->>1 FROM jsonb_each(?1) WHERE TRUE
           ON CONFLICT DO NOTHING`,
          runs.flatMap(({ item_id, versions }) => versions.map((version) => [item_id, version])),
          kind,
        ),
      ])
      return
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt === maxAttempts)
        throw new Failure(409, 'conflict', 'The knowledge base is being written: try again in a moment')
    }
  }
}

const isOvertaken = (error: unknown) => /NOT NULL constraint failed: counters\.value/.test(errorText(error))

type RangesRow = GroupedRow & { item_id: number }

// Many vulnerabilities say the same ranges, which are handed over once.
export async function findVersionRanges(db: Db, kind: JudgedKind, runs: Run[]) {
  const { links, affected } = tables[kind]
  const ids = JSON.stringify(runs.map(({ item_id }) => item_id))
  const item = sql.raw(`${kind}_id`)
  const [version, ranges] = await db.$client.batch<Record<string, unknown>>([
    statement(db, kbVersionQuery(db)),
    statement(
      db,
      sql`SELECT a.${item} AS item_id, a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids
        FROM jsonb_each(${ids}) j CROSS JOIN ${links} l ON l.${item} = j.value
        CROSS JOIN ${affected} a ON a.vuln_id = l.vuln_id AND a.${item} = l.${item} GROUP BY 1, 2, 3`,
    ),
  ])
  const statements = Map.groupBy((ranges?.results ?? []) as RangesRow[], ({ item_id }) => item_id)
  return { kb_version: Number(version?.results[0]?.value), statements }
}

export type VerdictRow = [item_id: number, version: string, vuln_id: number, rank: number]

/** Those that are known. */
export function judgeVersions({ item_id, versions }: Run, rows: GroupedRow[]): VerdictRow[] {
  const { judge } = compileStatements(rows.map(toGrouped))
  return versions.flatMap((version) =>
    judge({ version }).flatMap(([{ vuln_ids }, judgement]) => {
      const verdict = toRunVerdict(judgement)
      return verdict === 'unknown' ? [] : vuln_ids.map((id): VerdictRow => [item_id, version, id, verdictRank(verdict)])
    }),
  )
}
