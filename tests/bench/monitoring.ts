import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { csvParse } from 'd3-dsv'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import { signInByApi } from '../support/product.ts'
import { compareRoute } from './latency.ts'
import type { MeasuredLine } from './latency.ts'
import { emptyDatabase, readColumns } from './raw-load.ts'
import { sizes } from './running-base.ts'

const { items: lines, orgs } = sizes

function readNames(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = db.prepare('SELECT vendor, name FROM products ORDER BY id LIMIT ?').all(lines)
  db.close()
  return rows.map(({ vendor, name }) => ['product', `${String(vendor)}:${String(name)}`, 'dmz'])
}

/** An import of 10,000 lines, compared with parsing them and writing the same rows; and a spreadsheet, compared with its library. */
export async function measureImport(
  url: string,
  file: string,
  migrations: string,
  work: string,
): Promise<MeasuredLine[]> {
  const head = ['type', 'value', 'groups']
  const rows = readNames(file)
  const csv = [head, ...rows].map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()).join('\r\n')
  const xlsx = await writeXlsx({ sheets: [{ name: 'List', rows: [head, ...rows] }] })
  const { authorization } = await signInByApi(url)
  const send = async (list: BlobPart, isDry: boolean) => {
    const form = new FormData()
    form.set('file', new File([list], 'list'))
    form.set('dry_run', String(isDry))
    const began = performance.now()
    const response = await fetch(`${url}/api/monitor/import`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`The import answered ${response.status}`)
    return performance.now() - began
  }
  await send(csv, true)
  const [tried, triedSheet] = [await send(csv, true), await send(new Uint8Array(xlsx), true)]
  const parsed = await clock(() => void csvParse(csv))
  const library = await clock(() => readXlsx(xlsx))
  const imported = await send(csv, false)
  const raw = parsed + writeRaw(file, migrations, join(work, 'raw-list.sqlite'))
  return [
    [`import of ${rows.length} lines beside parsing and raw writing (at most 3 times)`, beside(imported, raw)],
    ['XLSX of the same beside its library (at most 2 times)', beside(triedSheet - tried + parsed, library)],
  ]
}

const beside = (ours: number, raw: number) =>
  `${ours.toFixed(0)} ms, ${raw.toFixed(0)} ms = ${(ours / raw).toFixed(2)} times`

async function clock(run: () => unknown) {
  const began = performance.now()
  await run()
  return performance.now() - began
}

/** Writes the import's rows into an empty database by prepared statements. */
function writeRaw(from: string, migrations: string, to: string) {
  const source = new DatabaseSync(from, { readOnly: true })
  const target = emptyDatabase(migrations, to)
  // We do not copy the rows that foreign keys point at.
  target.exec('PRAGMA foreign_keys = OFF')
  const tables = ['monitored_products', 'watch_groups', 'org_vulns'].map((table) => {
    const columns = readColumns(source, table)
    // Rows of inventories existed before the import.
    const isWritten = table === 'org_vulns' ? 'AND vuln_id NOT IN (SELECT vuln_id FROM inventory_vulns)' : ''
    const rows = source
      .prepare(`SELECT ${columns.join(', ')} FROM ${table} WHERE org_id < ${firstOther} ${isWritten}`)
      .all()
    return { table, columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) }
  })
  const began = performance.now()
  target.exec('BEGIN')
  for (const { table, columns, rows } of tables) {
    const insert = target.prepare(
      `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of rows) insert.run(...row)
  }
  target.exec('COMMIT')
  const ms = performance.now() - began
  source.close()
  target.close()
  return ms
}

/** Higher than the ids of organizations that the product created. */
const firstOther = 1_000_000

/** Writes organizations that monitor 10,000 products each: other products than those of the import and the delta. */
export function fillOrgs(file: string): MeasuredLine[] {
  const db = new DatabaseSync(file)
  const pages = () => Number(db.prepare('PRAGMA page_count').get()?.page_count) * 4_096
  const before = pages()
  const began = performance.now()
  const numbers = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${orgs})`
  db.exec(`PRAGMA foreign_keys = OFF; BEGIN;
    ${numbers} INSERT INTO orgs(id, name, slug, created_at)
      SELECT ${firstOther} + i, 'other' || i, 'other' || i, '2026-01-01T00:00:00Z' FROM n;
    ${numbers}, p AS MATERIALIZED (SELECT id FROM products ORDER BY id DESC LIMIT ${lines})
    INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at, groups)
      SELECT ${firstOther} + n.i, p.id, 1, '2026-01-01T00:00:00Z', NULL FROM n CROSS JOIN p;
    COMMIT`)
  // With statistics of a single organization SQLite would read all of them for each request.
  db.exec('ANALYZE orgs')
  const seconds = (performance.now() - began) / 1000
  const MB = (pages() - before) / 1e6
  db.close()
  return [[`${orgs} organizations of ${lines} items`, `${seconds.toFixed(0)} s, ${MB.toFixed(0)} MB`]]
}

const mostRows = 200

/** The calls of the monitoring screen, compared with reading a single row. */
export async function measureScreen(url: string): Promise<MeasuredLine[]> {
  const screen = {
    'monitoring, numbers': '/api/vulns/stats/monitored',
    'monitoring, products': '/api/monitor/items/products?limit=10',
    'monitoring, groups': '/api/monitor/groups',
  }
  const measured: MeasuredLine[] = []
  for (const [name, path] of Object.entries(screen))
    measured.push([name, `${await compareRoute(url, path)} (at most ${mostRows})`])
  return measured
}
