import { csvFormatRows } from 'd3-dsv'
import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { pageOffset } from '../http/page'
import { isOpen } from '../watchlist/open-findings'
import type { FindingQuery, FindingRow } from './contract'
import { decisionsJson } from './decided'
import type { FindingDecision } from './decision-contract'
import { requireInventory } from './inventory'

/** What CISA knows to be exploited comes first, then EPSS × score. */
const risk = sql`(v.kev_added_at IS NOT NULL) * 1000 + coalesce(v.epss, 0) * coalesce(v.score, 0)`
const sorts = {
  risk,
  score: sql`v.score`,
  epss: sql`v.epss`,
  component: sql`c.name`,
  cveid: sql`v.cveid`,
  newest: sql`f.found_at`,
}

const columns = sql`f.vuln_id, v.cveid, v.summary, f.component_id, c.name AS component, c.version, c.purl, c.path, c.scope, f.status,
  f.confidence, f.source, f.range, f.fixed_in, f.first_unlisted, f.is_disputed, v.score, v.cvss3, v.epss,
  v.kev_added_at IS NOT NULL AS kev, v.ssvc, f.found_at, ${sql.raw(decisionsJson)} AS decisions`

const tables = (org_id: number, id: number) => sql`inventory_findings f
  CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id
  CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = f.org_id)
  WHERE f.org_id = ${org_id} AND f.inventory_id = ${id}`

type Row = Omit<FindingRow, 'path' | 'kev' | 'is_disputed' | 'decision' | 'proposals'> & {
  path: string
  kev: number
  is_disputed: number
  decisions: string
}

function toFinding({ decisions, ...row }: Row): FindingRow {
  const told = JSON.parse(decisions) as FindingDecision[]
  return {
    ...row,
    path: JSON.parse(row.path) as string[],
    kev: row.kev === 1,
    is_disputed: row.is_disputed === 1,
    decision: told.find(({ author }) => author === '') ?? null,
    proposals: told.filter(({ author }) => author !== ''),
  }
}

export async function findFindings(db: Db, org_id: number, name: string, query: FindingQuery) {
  const { id } = await requireInventory(db, org_id, name)
  const where = conditions(query)
  const field = query.sorted_by.replace('-', '') as keyof typeof sorts
  const order = sql`${sorts[field]} ${query.sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`}, f.component_id, f.vuln_id`
  const [[count], rows] = await Promise.all([
    db.all<{ count: number }>(sql`SELECT count(*) AS count FROM ${tables(org_id, id)} ${where}`),
    db.all<Row>(
      sql`SELECT ${columns} FROM ${tables(org_id, id)} ${where} ORDER BY ${order} LIMIT ${query.limit} OFFSET ${pageOffset(query)}`,
    ),
  ])
  return { count: count?.count ?? 0, results: rows.map(toFinding) }
}

function conditions({ search, status, kev, component, vuln }: FindingQuery) {
  const word = search?.toLowerCase()
  const parts: (SQL | undefined)[] = [
    status === 'all' ? undefined : status === 'closed' ? sql`NOT ${sql.raw(isOpen)}` : sql.raw(isOpen),
    status === 'affected' || status === 'unknown' ? sql`f.status = ${status}` : undefined,
    kev === undefined ? undefined : sql`(v.kev_added_at IS NOT NULL) = ${Number(kev)}`,
    component === undefined ? undefined : sql`f.component_id = ${component}`,
    vuln === undefined ? undefined : sql`f.vuln_id = ${vuln}`,
    word
      ? sql`(instr(lower(c.name), ${word}) OR instr(lower(coalesce(v.cveid, '')), ${word}) OR instr(lower(v.summary), ${word}))`
      : undefined,
  ]
  return sql.join(
    parts.flatMap((part) => (part ? [sql` AND ${part}`] : [])),
    sql``,
  )
}

const chunkRows = 1_000
const csvColumns = [
  'cveid',
  'vuln_id',
  'component',
  'version',
  'purl',
  'status',
  'confidence',
  'source',
  'range',
  'fixed_in',
  'score',
  'cvss3',
  'epss',
  'kev',
  'ssvc',
  'scope',
  'path',
  'found_at',
] as const satisfies (keyof FindingRow)[]
const decisionColumns = [
  'status',
  'justification',
  'note',
  'fix',
  'owner',
  'expires_at',
] as const satisfies (keyof FindingDecision)[]
const csvHead = [...csvColumns, ...decisionColumns.map((name) => `decision_${name}`)].join()

export async function exportFindingList(db: Db, org_id: number, name: string, format: 'csv' | 'json') {
  const { id } = await requireInventory(db, org_id, name)
  let at = 0
  const read = () =>
    db.all<Row>(
      sql`SELECT ${columns} FROM ${tables(org_id, id)} ORDER BY ${risk} DESC, f.component_id, f.vuln_id LIMIT ${chunkRows} OFFSET ${at}`,
    )
  const pieces = new ReadableStream<string>({
    async pull(controller) {
      const rows = (await read()).map(toFinding)
      if (at === 0) controller.enqueue(format === 'csv' ? `${csvHead}\r\n` : '[\n')
      if (rows.length) controller.enqueue(format === 'csv' ? toCsv(rows) : toJson(rows, at === 0))
      at += chunkRows
      if (rows.length === chunkRows) return
      if (format === 'json') controller.enqueue('\n]\n')
      controller.close()
    },
  })
  return new Response(pieces.pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="findings.${format}"; filename*=UTF-8''${encodeURIComponent(name)}-findings.${format}`,
    },
  })
}

const toJson = (rows: FindingRow[], isFirst: boolean) =>
  (isFirst ? '' : ',\n') + rows.map((row) => JSON.stringify(row)).join(',\n')

const toCsv = (rows: FindingRow[]) => `${csvFormatRows(rows.map(toCells))}\r\n`

const toCells = (row: FindingRow) => [
  ...csvColumns.map((column) => toCell(column === 'path' ? row.path.join(' > ') : row[column])),
  ...decisionColumns.map((column) => toCell(row.decision?.[column])),
]

// A spreadsheet runs what begins with one of these signs: an apostrophe makes it a text.
const toCell = (value: unknown) => {
  const text = value === null || value === undefined ? '' : String(value)
  return typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
