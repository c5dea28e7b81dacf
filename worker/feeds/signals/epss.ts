import { z } from 'zod'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import { isEpssRise } from '../../domain/change'
import type { Change } from '../../domain/change'
import { touch } from '../../merge/touch'
import { readScore } from './epss-record'
import type { EpssRow } from './epss-record'
import { defineFeed } from '../source/feed'
import type { Skip } from '../source/skip'
import { openSource } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import { lines } from '../read/lines'

const maxBytes = 200_000_000
const chunkRows = 2_000

const EpssCursor = z.object({
  origin: z.string(),
  score_date: z.string(),
  /** Another model gives other scores to everything: that is no news of a vulnerability. */
  model: z.string().default(''),
  /** Whether this file is of the model of the one before; a later step of it cannot tell any more. */
  is_comparable: z.boolean().default(false),
  line: z.int(),
  done: z.boolean(),
})
type EpssCursor = z.output<typeof EpssCursor>

// Scores move in their last digits every day: only what shows in three decimals is written.
const upsertScores = `INSERT INTO epss_scores(cveid, epss, percentile)
  SELECT j.value->>0, j.value->>1, j.value->>2 FROM jsonb_each(?1) j
  WHERE NOT EXISTS (SELECT 1 FROM vulns v WHERE v.cveid = j.value->>0) ON CONFLICT(cveid) DO UPDATE SET epss = excluded.epss, percentile = excluded.percentile
  WHERE round(excluded.epss, 3) <> round(epss_scores.epss, 3)`
// What a score was until today, where it is about to change.
const keepHistory = `INSERT INTO epss_history(vuln_id, until, epss)
  SELECT v.id, ?2, v.epss FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
  WHERE v.epss IS NOT NULL AND round(v.epss, 3) <> round(j.value->>1, 3) ON CONFLICT DO NOTHING`
const updateVulns = `UPDATE vulns SET epss = j.value->>1, epss_percentile = j.value->>2 FROM jsonb_each(?1) j
  WHERE vulns.cveid = j.value->>0 AND (vulns.epss IS NULL OR round(vulns.epss, 3) <> round(j.value->>1, 3)) RETURNING 1`

/** FIRST's daily file. A file cut short resumes at the line it reached; a file of another day starts anew. */
export const epss = defineFeed({
  id: 'epss',
  name: 'EPSS',
  every_minutes: 60,
  origin: 'https://epss.empiricalsecurity.com/epss_scores-current.csv.gz',
  cursor: EpssCursor,
  async step(run, cursor) {
    const { origin } = run
    const source = await openSource(origin, { max_bytes: maxBytes })
    if (!source) throw new SourceError(`No such file: ${origin}`)

    const rows = lines(source.body)
    const { score_date, model } = await readHeader(rows)
    const isSame = cursor?.origin === origin && cursor.score_date === score_date
    const isComparable = isSame ? cursor.is_comparable : cursor?.origin === origin && cursor.model === model
    if (isSame && cursor.done) {
      await rows.return(undefined)
      return { cursor, done: true }
    }
    const skipTo = isSame ? cursor.line : 0

    let line = 0
    let chunk: EpssRow[] = []
    let skipped: Skip[] = []
    const here = (done: boolean): EpssCursor => ({
      origin,
      score_date,
      model,
      is_comparable: isComparable,
      line,
      done,
    })
    const commit = async (done: boolean) => {
      const rises = isComparable ? await findRises(run.db, chunk) : []
      const statements = {
        counted: bulk(run.db, upsertScores, chunk),
        // The history first: it reads what the update changes, and returns nothing.
        listed: [...bulk(run.db, keepHistory, chunk, score_date), ...bulk(run.db, updateVulns, chunk)],
        more: logRises(run.db, rises, stamp(run.now)),
        hasNews: rises.length > 0,
      }
      await run.write(statements, { read: chunk.length + skipped.length, skipped }, here(done))
      chunk = []
      skipped = []
    }
    for await (const text of rows) {
      line++
      if (line <= skipTo || !text) continue
      const row = readScore(text)
      if (row) chunk.push(row)
      else skipped.push({ record_id: `line ${line + 2}`, reason: 'not a score', body: text.slice(0, 200) })
      if (chunk.length + skipped.length < chunkRows) continue
      await commit(false)
    }
    if (line === 0) throw new SourceError('The file holds no scores')
    await commit(true)
    return { cursor: here(true), done: true }
  },
})

type Rise = [vuln_id: number, changes: Change[]]

async function findRises(db: Db, chunk: EpssRow[]): Promise<Rise[]> {
  const statements = bulk(
    db,
    `SELECT v.id, v.epss AS 'from', j.value->>1 AS 'to' FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
     WHERE v.state <> 'rejected' AND v.epss < j.value->>1`,
    chunk,
  )
  const answers = await db.$client.batch<{ id: number; from: number; to: number }>(statements)
  return answers
    .flatMap(({ results }) => results)
    .filter(({ from, to }) => isEpssRise(from, to))
    .map(({ id, from, to }) => [id, [{ field: 'epss', from, to }]])
}

const logRises = (db: Db, rises: Rise[], at: string) => [
  ...bulk(
    db,
    `INSERT INTO vuln_changes(vuln_id, at, kind, source, is_backfill, detail)
     SELECT value->>0, ?2, 'updated', 'epss', 0, value->>1 FROM jsonb_each(?1)`,
    rises,
    at,
  ),
  ...bulk(
    db,
    `UPDATE vulns SET updated_at = unixepoch(?2) FROM jsonb_each(?1) j WHERE vulns.id = j.value->>0`,
    rises,
    at,
  ),
  ...touch(
    db,
    rises.map(([id]) => id),
  ),
]

// "#model_version:v2026.03.16,score_date:2026-08-15T00:00:00+0000", then the names of the columns.
async function readHeader(rows: AsyncGenerator<string>) {
  const [about, names] = [(await rows.next()).value as unknown, (await rows.next()).value as unknown]
  const line = typeof about === 'string' ? about : ''
  const score_date = /score_date:(\d{4}-\d{2}-\d{2})/.exec(line)?.[1]
  if (!score_date || names !== 'cve,epss,percentile')
    throw new SourceError('The file does not start as an EPSS file does')
  return { score_date, model: /model_version:([^,]*)/.exec(line)?.[1] ?? '' }
}
