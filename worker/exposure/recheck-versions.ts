import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import { errorText } from '../db/error-text'
import type { Db } from '../db/open'
import { judgedKinds, verdictRank } from '../domain/verdict'
import type { JudgedKind } from '../domain/verdict'
import { requireKbVersion } from '../watchlist/kb-version'
import { judgeVersions, findVersionRanges } from './versions'
import type { Run, VerdictRow } from './versions'
import { rewatch } from '../watchlist/rewatch'

export const recheckNights = 30
export const nightNumber = (now: Date) => Math.floor(now.getTime() / 86_400_000) % recheckNights

const chunkItems = 50
/** An invocation may ask the database a thousand times. */
const maxChunks = 100

/** Judges a thirtieth anew and mends what differs. A merge judges what it touches, so a difference is a fault: the number is 0. */
export async function recheckVersions(db: Db, now: Date, faults: string[]) {
  let differences = 0
  for (const kind of judgedKinds) {
    let after = 0
    for (let chunk = 0; chunk < maxChunks; chunk++) {
      const runs = await findRuns(db, kind, after, nightNumber(now))
      if (!runs.length) break
      differences += await recheckAmong(db, kind, runs, faults)
      after = runs.at(-1)?.item_id ?? after
    }
  }
  return differences
}

async function findRuns(db: Db, kind: JudgedKind, after: number, night: number): Promise<Run[]> {
  const runs = await db.all<{ item_id: number; versions: string }>(sql`
    SELECT item_id, json_group_array(version) AS versions FROM judged_versions
    WHERE kind = ${kind} AND item_id > ${after} AND item_id % ${recheckNights} = ${night}
    GROUP BY item_id ORDER BY item_id LIMIT ${chunkItems}`)
  return runs.map(({ item_id, versions }) => ({ item_id, versions: JSON.parse(versions) as string[] }))
}

/** One that cannot be judged is found by halves, and noted. */
async function recheckAmong(db: Db, kind: JudgedKind, runs: Run[], faults: string[]): Promise<number> {
  try {
    return await recheck(db, kind, runs)
  } catch (error) {
    const [one] = runs
    const half = Math.ceil(runs.length / 2)
    if (runs.length > 1)
      return (
        (await recheckAmong(db, kind, runs.slice(0, half), faults)) +
        (await recheckAmong(db, kind, runs.slice(half), faults))
      )
    faults.push(`${kind} ${one?.item_id}: ${errorText(error)}`)
    return 0
  }
}

async function recheck(db: Db, kind: JudgedKind, runs: Run[]) {
  const { kb_version, statements } = await findVersionRanges(db, kind, runs)
  const stored = await findVerdicts(db, kind, runs)
  const judged = runs.flatMap((run) => judgeVersions(run, statements.get(run.item_id) ?? []))
  const fresh = new Map(judged.map((row) => [toKey(row), row]))
  const wrong = judged.filter((row) => stored.get(toKey(row))?.[3] !== row[3])
  // What is unknown has no row, or one that says so.
  const gone = [...stored.values()].filter((row) => !fresh.has(toKey(row)) && row[3] !== unknownRank)
  if (!wrong.length && !gone.length) return 0
  await db.$client.batch([
    // Whoever merged meanwhile judged what it touched, and the next time looks again.
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
      wrong,
      kind,
    ),
    ...rewatch(db, { vuln_ids: [...new Set([...wrong, ...gone].map(([, , vuln_id]) => vuln_id))] }),
  ])
  return wrong.length + gone.length
}

async function findVerdicts(db: Db, kind: JudgedKind, runs: Run[]) {
  const answers = await db.$client.batch<{ item_id: number; version: string; vuln_id: number; verdict: number }>(
    bulk(
      db,
      `SELECT v.item_id, v.version, v.vuln_id, v.verdict FROM jsonb_each(?1) j CROSS JOIN version_verdicts v
       ON v.kind = ?2 AND v.item_id = j.value->>0 AND v.version = j.value->>1`,
      runs.flatMap(({ item_id, versions }) => versions.map((version) => [item_id, version])),
      kind,
    ),
  )
  const rows = answers.flatMap(({ results }) =>
    results.map(({ item_id, version, vuln_id, verdict }): VerdictRow => [item_id, version, vuln_id, verdict]),
  )
  return new Map(rows.map((row) => [toKey(row), row]))
}

const unknownRank = verdictRank('unknown')
const toKey = ([item_id, version, vuln_id]: VerdictRow) => JSON.stringify([item_id, version, vuln_id])
