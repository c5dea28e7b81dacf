import * as z from 'zod'
import { noteModel } from '../../domain/scores/epss-models'
import { scoreStatements } from '../../merge/save-scores'
import { readScore, type EpssRow } from './epss-record'
import { defineFeed } from '../source/feed'
import { newSkip, type Skip } from '../source/read-records'
import { openSource } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import { lines } from '../read/lines'

const maxBytes = 200_000_000
const chunkRows = 2_000

const EpssCursor = z.object({
  origin: z.string(),
  score_date: z.string(),
  /** A new model changes all scores, which is no news about a vulnerability. */
  model: z.string().default(''),
  /** The models of our files and the days since when, oldest first. */
  models: z.array(z.object({ version: z.string(), since: z.string() })).default([]),
  /** Whether all scores that the file replaces are of its model; later steps of the file cannot tell any more. */
  is_comparable: z.boolean().default(false),
  /** Whether some of them are of another. */
  is_new_model: z.boolean().default(false),
  line: z.int(),
  done: z.boolean(),
})
type EpssCursor = z.output<typeof EpssCursor>

/** Resumes an unfinished file at its line; the file of another day starts anew. */
export const epss = defineFeed({
  id: 'epss',
  name: 'EPSS',
  every_minutes: 60,
  quiet_days: 3,
  origin: 'https://epss.empiricalsecurity.com/epss_scores-current.csv.gz',
  cursor: EpssCursor,
  async step(run, cursor) {
    const { origin } = run
    const source = await openSource(origin, { max_bytes: maxBytes })
    if (!source) throw new SourceError(`No such file: ${origin}`)

    const rows = lines(source.body)
    const { score_date, model } = await readHeader(rows)
    const isSame = cursor?.origin === origin && cursor.score_date === score_date
    const { isComparable, isNewModel } = compareModels(cursor, { origin, score_date, model })
    // A cache may still serve the file of yesterday: its scores would fall, and tomorrow's rise again.
    const isOlder =
      cursor?.origin === origin && score_date < cursor.score_date && cursor.score_date <= run.now.toISOString()
    if (isOlder || (isSame && cursor.done)) {
      await rows.return(undefined)
      return { cursor, done: true, newest: toStamp(cursor.score_date) }
    }
    const models = noteModel(findSeen(cursor), model, score_date)
    const skipTo = isSame ? cursor.line : 0

    let line = 0
    let chunk: EpssRow[] = []
    let skipped: Skip[] = []
    const here = (done: boolean): EpssCursor => ({
      origin,
      score_date,
      model,
      models,
      is_comparable: isComparable,
      is_new_model: isNewModel,
      line,
      done,
    })
    const commit = async (done: boolean) => {
      const day = { score_date, is_comparable: isComparable, now: run.now }
      const statements = await scoreStatements(run.db, chunk, day)
      const read = chunk.length + skipped.length
      await run.write({ ...statements, isRewrite: isNewModel }, here(done), { read, skipped })
      chunk = []
      skipped = []
    }
    for await (const text of rows) {
      line++
      if (line <= skipTo || !text) continue
      const row = readScore(text)
      if (row) chunk.push(row)
      else skipped.push(newSkip(`line ${line + 2}`, 'not a score', text.slice(0, 200)))
      if (chunk.length + skipped.length < chunkRows) continue
      await commit(false)
    }
    if (line === 0) throw new SourceError('The file holds no scores')
    await commit(true)
    return { cursor: here(true), done: true, newest: toStamp(score_date) }
  },
})

/** A file of a new model that was left unfinished leaves scores of the old one: the next file is compared with both. */
function compareModels(cursor: EpssCursor | null, file: Pick<EpssCursor, 'origin' | 'score_date' | 'model'>) {
  if (cursor?.origin !== file.origin) return { isComparable: false, isNewModel: false }
  const { is_comparable: isComparable, is_new_model: isNewModel } = cursor
  if (cursor.model !== file.model) return { isComparable: false, isNewModel: true }
  if (cursor.score_date === file.score_date || !cursor.done) return { isComparable, isNewModel }
  return { isComparable: true, isNewModel: false }
}

const findSeen = (cursor: EpssCursor | null) =>
  cursor && !cursor.models.length ? [{ version: cursor.model, since: cursor.score_date }] : (cursor?.models ?? [])

const toStamp = (day: string) => `${day}T00:00:00Z`

// "#model_version:v2026.03.16,score_date:2026-08-15T00:00:00+0000", then the names of the columns.
async function readHeader(rows: AsyncGenerator<string>) {
  const [about, names] = [(await rows.next()).value as unknown, (await rows.next()).value as unknown]
  const line = typeof about === 'string' ? about : ''
  const score_date = /score_date:(\d{4}-\d{2}-\d{2})/.exec(line)?.[1]
  if (!score_date || names !== 'cve,epss,percentile')
    throw new SourceError('The file does not start as an EPSS file does')
  return { score_date, model: /model_version:([^,]*)/.exec(line)?.[1] ?? '' }
}
