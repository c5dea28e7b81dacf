import { z } from 'zod'
import { bulk } from '../db/bulk'
import { readScore } from './epss-record'
import type { EpssRow } from './epss-record'
import type { Feed, Skip } from './feed'
import { openSource, SourceError } from './fetch-source'
import { lines } from './lines'

const maxBytes = 200_000_000
const chunkRows = 10_000

const EpssCursor = z.object({ origin: z.string(), score_date: z.string(), line: z.int(), done: z.boolean() })
type EpssCursor = z.output<typeof EpssCursor>

// Scores move in their last digits every day: only what shows in three decimals is written.
const upsertScores = `INSERT INTO epss_scores(cveid, epss, percentile)
  SELECT value->>0, value->>1, value->>2 FROM json_each(?1)
  WHERE true ON CONFLICT(cveid) DO UPDATE SET epss = excluded.epss, percentile = excluded.percentile
  WHERE round(excluded.epss, 3) <> round(epss_scores.epss, 3)`
const updateVulns = `UPDATE vulns SET epss = j.value->>1, epss_percentile = j.value->>2 FROM json_each(?1) j
  WHERE vulns.cveid = j.value->>0 AND (vulns.epss IS NULL OR round(vulns.epss, 3) <> round(j.value->>1, 3))`

/** FIRST's daily file. A file cut short resumes at the line it reached; a file of another day starts anew. */
export const epss: Feed<EpssCursor> = {
  name: 'EPSS',
  every_minutes: 60,
  cursor: EpssCursor,
  async step(run, cursor) {
    const origin = run.env.EPSS_URL
    const source = await openSource(origin, { max_bytes: maxBytes })
    if (!source) throw new SourceError(`No such file: ${origin}`)

    const rows = lines(source.body)
    const score_date = await readHeader(rows)
    const isSame = cursor?.origin === origin && cursor.score_date === score_date
    if (isSame && cursor.done) {
      await rows.return(undefined)
      return { cursor, done: true }
    }
    const skipTo = isSame ? cursor.line : 0

    let line = 0
    let chunk: EpssRow[] = []
    let skipped: Skip[] = []
    const here = (done: boolean): EpssCursor => ({ origin, score_date, line, done })
    const commit = async (done: boolean) => {
      const statements = { counted: bulk(run.db, upsertScores, chunk), more: bulk(run.db, updateVulns, chunk) }
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
      if (chunk.length + skipped.length >= chunkRows) await commit(false)
    }
    if (line === 0) throw new SourceError('The file holds no scores')
    await commit(true)
    return { cursor: here(true), done: true }
  },
}

// "#model_version:v2026.03.16,score_date:2026-08-15T00:00:00+0000", then the names of the columns.
async function readHeader(rows: AsyncGenerator<string>) {
  const [about, names] = [(await rows.next()).value as unknown, (await rows.next()).value as unknown]
  const date = typeof about === 'string' ? /score_date:(\d{4}-\d{2}-\d{2})/.exec(about)?.[1] : undefined
  if (!date || names !== 'cve,epss,percentile') throw new SourceError('The file does not start as an EPSS file does')
  return date
}
