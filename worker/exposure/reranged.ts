import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { toRunVerdict } from '../domain/versions/affected'
import { verdictRank, type JudgedKind } from '../domain/versions/verdict'
import { compileStatements, type StoredStatement } from './compile'

/** An item of which sources changed the affected versions; `statements` is empty when no source names it any more. */
export type Reranged = { cveid: string; kind: JudgedKind; item_id: number; statements: StoredStatement[] }

type VerdictWrite = [cveid: string, kind: JudgedKind, item_id: number, version: string, rank: number]

/** The new verdicts; `guard` tells on which versions they rest, which must be the same when they are written. */
export type Rejudged = {
  put: VerdictWrite[]
  gone: [cveid: string, kind: JudgedKind, item_id: number][]
  /** Vulnerabilities that may now concern other organizations. */
  cveids: string[]
  guard: { items: string; versions: number } | null
}

export async function rejudge(db: Db, reranged: Reranged[]): Promise<Rejudged> {
  if (!reranged.length) return { put: [], gone: [], cveids: [], guard: null }
  const items = [...new Set(reranged.map(({ kind, item_id }) => JSON.stringify([kind, item_id])))]
  const json = `[${items.join()}]`
  const results = await db.all<{ kind: JudgedKind; item_id: number; version: string }>(sql`
    SELECT r.kind, r.item_id, r.version FROM jsonb_each(${json}) j CROSS JOIN judged_versions r
    WHERE r.kind = j.value->>0 AND r.item_id = j.value->>1`)
  const guard = { items: json, versions: results.length }
  const versions = Map.groupBy(results, ({ kind, item_id }) => `${kind} ${item_id}`)
  const byItem = Map.groupBy(reranged, ({ kind, item_id }) => `${kind} ${item_id}`)
  const run = [...versions].map(([item, rows]) => ({
    reranged: byItem.get(item) ?? [],
    versions: rows.map(({ version }) => version),
  }))
  const put = run.flatMap(judgeItem)
  const touched = run.flatMap((item) => item.reranged)
  const gone = touched
    .filter(({ statements }) => !statements.length)
    .map(({ cveid, kind, item_id }): Rejudged['gone'][number] => [cveid, kind, item_id])
  return { put, gone, cveids: [...new Set(touched.map(({ cveid }) => cveid))], guard }
}

function judgeItem({ reranged, versions }: { reranged: Reranged[]; versions: string[] }) {
  const rows = reranged.flatMap(({ statements }, at) =>
    statements.map((said) => ({ ...said, vuln_ids: JSON.stringify([at]) })),
  )
  const { judge } = compileStatements(rows, { name: `${reranged[0]?.kind} ${reranged[0]?.item_id}` })
  return versions.flatMap((version) =>
    judge({ version }).flatMap(([{ vuln_ids }, judgement]) =>
      vuln_ids.flatMap((at): VerdictWrite[] => {
        const item = reranged[at]
        return item ? [[item.cveid, item.kind, item.item_id, version, verdictRank(toRunVerdict(judgement))]] : []
      }),
    ),
  )
}

/** A vulnerability that concerns somebody again does so from the newest entry of the change log on. */
const since = `since_seq = CASE WHEN version_verdicts.verdict = ${verdictRank('not_affected')}
  THEN coalesce((SELECT max(c.seq) FROM vuln_changes c WHERE c.vuln_id = version_verdicts.vuln_id), 0) ELSE version_verdicts.since_seq END`

/** Must follow the writes of vulnerabilities and changes in the batch. An unchanged verdict writes nothing. */
export function verdictStatements(db: Db, { put, gone }: Pick<Rejudged, 'put' | 'gone'>) {
  const unknown = verdictRank('unknown')
  return [
    ...bulk(
      db,
      `DELETE FROM version_verdicts WHERE (kind, item_id, version, vuln_id) IN (
         SELECT r.kind, r.item_id, r.version, v.id FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value->>0
         CROSS JOIN judged_versions r ON r.kind = j.value->>1 AND r.item_id = j.value->>2)`,
      gone,
    ),
    ...bulk(
      db,
      `INSERT INTO version_verdicts(kind, item_id, version, vuln_id, verdict)
       SELECT j.value->>1, j.value->>2, j.value->>3, v.id, j.value->>4 FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value->>0
       WHERE TRUE ON CONFLICT DO UPDATE SET verdict = excluded.verdict, ${since} WHERE excluded.verdict <> version_verdicts.verdict`,
      put.filter(([, , , , rank]) => rank !== unknown),
    ),
    // "Unknown" needs a row only where an older verdict stands.
    ...bulk(
      db,
      `UPDATE version_verdicts SET ${since}, verdict = ${unknown} FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value->>0
       WHERE version_verdicts.kind = j.value->>1 AND version_verdicts.item_id = j.value->>2 AND version_verdicts.version = j.value->>3
         AND version_verdicts.vuln_id = v.id AND version_verdicts.verdict <> ${unknown}`,
      put.filter(([, , , , rank]) => rank === unknown),
    ),
  ]
}
