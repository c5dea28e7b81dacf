import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const tables = ['vendors', 'products', 'vulns', 'vuln_records', 'affected', 'vuln_changes', 'vuln_products'] as const
const rowsPerTransaction = 500

/**
 * Writes the rows of a loaded knowledge base into an empty one of the same schema, triggers and search included, by
 * prepared statements: what SQLite itself needs for the same result.
 */
export function rawLoad(from: string, migrations: string, to: string) {
  const source = new DatabaseSync(from, { readOnly: true })
  const target = new DatabaseSync(to)
  target.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  for (const name of readdirSync(migrations)
    .filter((file) => file.endsWith('.sql'))
    .sort())
    target.exec(readFileSync(join(migrations, name), 'utf8'))

  let [ms, rows] = [0, 0]
  for (const table of tables) {
    const columns = source
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))
    const insert = target.prepare(
      `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    let batch: (string | number | null)[][] = []
    const write = () => {
      const began = performance.now()
      target.exec('BEGIN')
      for (const row of batch) insert.run(...row)
      target.exec('COMMIT')
      ms += performance.now() - began
      rows += batch.length
      batch = []
    }
    for (const row of source.prepare(`SELECT ${columns.join(', ')} FROM ${table}`).iterate()) {
      batch.push(Object.values(row) as (string | number | null)[])
      if (batch.length === rowsPerTransaction) write()
    }
    write()
  }
  source.close()
  target.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  target.close()
  return { seconds: ms / 1000, rows, bytes: statSync(to).size }
}
