import { csvFormatRows } from 'd3-dsv'
import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { pause } from '../db/readers'
import { valuesTable } from '../db/values'
import { withoutTurns } from '../domain/people/name'
import { inPlaces } from '../http/at-once'
import { invalid } from '../http/errors'
import { toCell } from '../http/row-file'
import { formatMoment } from '../domain/words/moment'
import { findVulnRows } from './columns'
import { VulnRow, type ExportFormat, type VulnQuery } from './contract'
import { countRequest } from './list/count'
import { budgets, readList } from './list/read'
import { readRequest, type Asker, type Request } from './list/request'
import { listParts, rowsOfTest } from './list/terms'

const maxExported = 10_000
const chunkRows = 250
/** A list is read in so many steps at most: others get to the database between them, where it runs on this machine only in a pause. */
const maxSteps = 400
const betweenSteps_ms = 20

/** Reads the ids first; the rows are written while they are read, never all at once. */
export async function exportList(db: Db, asker: Asker, query: VulnQuery, format: ExportFormat) {
  const request = await readRequest(db, asker, query, 'all')
  const ids = request ? await inPlaces(perUser(asker.user_id ?? 0), () => listIds(db, request)) : []
  const write = writers[format]
  let at = 0
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      if (at === 0) controller.enqueue(write.head)
      const rows =
        at < ids.length ? await findVulnRows(db, asker.org_id, valuesTable(ids.slice(at, at + chunkRows))) : []
      const checked = rows.map((row) => VulnRow.parse(row))
      if (rows.length) controller.enqueue(withoutTurns(write.rows(checked, at === 0)))
      at += chunkRows
      if (at < ids.length) return
      controller.enqueue(write.tail)
      controller.close()
    },
  })
  const name = `earshot_vulns_${asker.now.toISOString().slice(0, 10)}.${format}`
  return new Response(pieces.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': write.type,
      'content-disposition': `attachment; filename="${name}"`,
      'x-total-rows': String(ids.length),
    },
  })
}

/** As each takes the database for seconds. */
const perUser = (user_id: number) => [{ key: `exports ${user_id}`, at_once: 2, what: 'exports' }]

async function listIds(db: Db, request: Request) {
  const read = (part: Request) => readList(db, part, (page) => readIds(db, page))
  const first: Request = { ...request, offset: 0, limit: maxExported, after: 0, isExport: true }
  const ids = new Set<number>()
  for (let [step, part] = [1, first]; step <= maxSteps; step++) {
    const { rows, stopped } = await read(part)
    for (const id of rows) ids.add(id)
    if (stopped === undefined || ids.size >= maxExported) {
      // Between steps a change may bring vulnerabilities to the front.
      const { rows: again } = step > 1 ? await read(first) : { rows: [] }
      return [...new Set([...again, ...ids])].slice(0, maxExported)
    }
    if (step === 1 && (await isEndless(db, request, rows.length))) break
    part = { ...first, after: stopped }
    await pause(betweenSteps_ms)
  }
  throw invalid([{ path: ['q'], message: 'Too many vulnerabilities to look through: filter the list further' }])
}

/** Where no index shortens the list, all steps would not reach its end, nor would their rows fill a file. */
async function isEndless(db: Db, request: Request, found: number) {
  if (listParts(request).length || found * maxSteps >= maxExported) return false
  const { count } = await countRequest(db, { ...request, terms: [] }, { rows: 0 })
  return (maxSteps * budgets.further.tested) / rowsOfTest(request) < count
}

async function readIds(db: Db, page: SQL) {
  const found = await db.all<{ item: number | null; total: number | null }>(sql`SELECT * FROM ${page}`)
  return { rows: found.flatMap(({ item }) => item ?? []), total: found.at(-1)?.total ?? null }
}

const header =
  'id,cveid,summary,score,is_score_provisional,cvss,cvss_vector,cvss3,cvss3_vector,cvss4,cvss4_vector,epss,epss_percentile,kev_added,kev_due,due,is_exploitable,is_confirmed,is_in_the_news,is_in_the_wild,unknown_flags,exploit_count,cwe_id,products,product_count,monitored,published,updated_at'

function toLine(row: VulnRow) {
  const cells: Record<string, unknown> = {
    ...row,
    id: `PH-${row.id}`,
    kev_added: row.kev?.added,
    kev_due: row.kev?.due,
    unknown_flags: row.unknown_flags.join(' '),
    products: row.products.map(({ vendor, name }) => `${vendor}:${name}`).join(' '),
    updated_at: formatMoment(row.updated_at),
  }
  return `${csvFormatRows([header.split(',').map((name) => toCell(cells[name]))])}\r\n`
}

type Writer = { type: string; head: string; rows: (rows: VulnRow[], isFirst: boolean) => string; tail: string }
const writers: Record<ExportFormat, Writer> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: `${header}\r\n`,
    rows: (rows) => rows.map(toLine).join(''),
    tail: '',
  },
  json: {
    type: 'application/json; charset=utf-8',
    head: '[\n',
    rows: (rows, isFirst) => (isFirst ? '' : ',\n') + rows.map((row) => JSON.stringify(row)).join(',\n'),
    tail: '\n]\n',
  },
}
