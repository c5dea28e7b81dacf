import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** The tables that feeds write. */
const tables = [
  'vendors',
  'products',
  'packages',
  'vulns',
  'vuln_records',
  'affected',
  'affected_packages',
  'vuln_products',
  'vuln_packages',
  'vuln_aliases',
  'vuln_changes',
  'exploits',
  'threats',
  'epss_scores',
  'epss_history',
  'weaknesses',
  'attack_patterns',
  'techniques',
  'weakness_patterns',
  'pattern_techniques',
  'bulletins',
  'bulletin_vulns',
] as const
/** Full-text rows that no trigger writes. */
const texts = [
  'INSERT INTO exploits_fts(rowid, link, notes) SELECT id, link, notes FROM exploits',
  'INSERT INTO bulletins_fts(rowid, publicid, vendor, title) SELECT id, publicid, vendor, title FROM bulletins',
]
const rowsPerTransaction = 500

/**
 * Writes the rows of a loaded knowledge base into an empty one of the same schema, triggers and search included, by
 * prepared statements: the time that SQLite itself needs for the same result.
 */
export function rawLoad(from: string, migrations: string, to: string) {
  const source = new DatabaseSync(from, { readOnly: true })
  const target = emptyDatabase(migrations, to)
  let [ms, rows] = [0, 0]
  for (const table of tables) {
    const columns = readColumns(source, table)
    const insert = target.prepare(
      `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    let batch: SQLInputValue[][] = []
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
      batch.push(Object.values(row))
      if (batch.length === rowsPerTransaction) write()
    }
    write()
  }
  const began = performance.now()
  for (const sql of texts) target.exec(sql)
  ms += performance.now() - began
  source.close()
  target.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  target.close()
  return { seconds: ms / 1000, rows, bytes: statSync(to).size }
}

export function emptyDatabase(migrations: string, file: string) {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  for (const name of readdirSync(migrations)
    .filter((one) => one.endsWith('.sql'))
    .sort())
    db.exec(readFileSync(join(migrations, name), 'utf8'))
  return db
}

/** The columns of a table without computed ones. */
export const readColumns = (db: DatabaseSync, table: string) =>
  db
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name))

/**
 * Upserts the rows of the given vulnerabilities into a loaded database by prepared statements, unchanged rows written
 * only if they differ: the time that SQLite itself needs for such a delta. `changed` ones have another summary.
 */
export function rawUpsert(file: string, cveids: string[], changed: Set<string>) {
  const db = new DatabaseSync(file)
  const columns = readColumns(db, 'vulns').filter((name) => name !== 'id')
  const [read, readRecord] = [
    db.prepare(`SELECT ${columns.join(', ')} FROM vulns WHERE cveid = ?`),
    db.prepare(
      `SELECT r.* FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id WHERE v.cveid = ? AND r.source = 'cve'`,
    ),
  ]
  const rows = cveids.flatMap((cveid) => {
    const [vuln, record] = [read.get(cveid), readRecord.get(cveid)]
    if (!vuln || !record) return []
    const isChanged = changed.has(cveid)
    const summary = isChanged ? `${String(vuln.summary)} Once more.` : vuln.summary
    const hash = isChanged ? `x${String(record.hash)}` : record.hash
    return [
      {
        vuln: Object.values({ ...vuln, summary: summary ?? '' }),
        record: Object.values({ ...record, hash: hash ?? '' }),
      },
    ]
  })
  const differs = columns.map((name) => `excluded.${name} IS NOT vulns.${name}`).join(' OR ')
  const upsert = db.prepare(
    `INSERT INTO vulns(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT(cveid) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')} WHERE ${differs}`,
  )
  const upsertRecord = db.prepare(
    `INSERT INTO vuln_records(vuln_id, source, hash, modified, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, modified = excluded.modified, body = excluded.body WHERE excluded.hash <> vuln_records.hash`,
  )
  const began = performance.now()
  for (let from = 0; from < rows.length; from += rowsPerTransaction) {
    db.exec('BEGIN')
    for (const { vuln, record } of rows.slice(from, from + rowsPerTransaction)) {
      upsert.run(...vuln)
      upsertRecord.run(...record)
    }
    db.exec('COMMIT')
  }
  const seconds = (performance.now() - began) / 1000
  db.close()
  return { seconds, rows: rows.length }
}
