import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The file of the local D1 database below a state folder: the largest one. */
export function databaseFile(state: string) {
  const files = readdirSync(state, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('d1') && name.endsWith('.sqlite') && !name.endsWith('metadata.sqlite'))
    .map((name) => join(state, name))
  const [largest] = files.sort((a, b) => statSync(b).size - statSync(a).size)
  if (!largest) throw new Error(`No database below ${state}`)
  return largest
}

/** A database with the schema of the Worker. */
export function emptyDatabase(file: string, migrations = join(import.meta.dirname, '../../migrations')) {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  const names = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
  for (const name of names.toSorted()) db.exec(readFileSync(join(migrations, name), 'utf8'))
  return db
}

/** Changes that are not planned for and messages on their way, after a turn of the clock. At 0 nothing more comes. */
export function countWaiting(state: string) {
  const db = new DatabaseSync(databaseFile(state), { readOnly: true })
  try {
    const { waiting } = db.prepare(whatWaits).get() as { waiting: number }
    return waiting
  } finally {
    db.close()
  }
}

const whatWaits = `SELECT (SELECT coalesce(max(seq), 0) FROM vuln_changes) - (SELECT value FROM counters WHERE name = 'alerts_planned_to')
  + (SELECT count(*) FROM (SELECT status FROM deliveries UNION ALL SELECT status FROM mails UNION ALL SELECT status FROM summaries)
    WHERE status IN ('pending', 'sending')) + (SELECT count(*) FROM inventory_due) AS waiting`

/** The content of the knowledge base without ids and times, which depend on when and in which order it was loaded. */
const contents = {
  vulns: `SELECT cveid, state, title, summary, assigner, published, modified, cvss, cvss_vector, cvss3, cvss3_vector, cvss4, cvss4_vector, cwe_id,
    score, round(epss, 3), kev_added_at, kev_due_at, kev_ransomware, is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, is_malicious,
    exploit_count, threat_activity_count, cpe_count, product_count, keywords FROM vulns ORDER BY cveid`,
  records: `SELECT v.cveid, r.source, r.hash, r.modified FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id ORDER BY v.cveid, r.source`,
  affected: `SELECT v.cveid, p.vendor, p.name, a.source, a.ranges FROM affected a JOIN vulns v ON v.id = a.vuln_id
    JOIN products p ON p.id = a.product_id ORDER BY v.cveid, p.vendor, p.name, a.source`,
  links: `SELECT v.cveid, p.vendor, p.name FROM vuln_products l JOIN vulns v ON v.id = l.vuln_id JOIN products p ON p.id = l.product_id
    ORDER BY v.cveid, p.vendor, p.name`,
  products: 'SELECT vendor, name, vulns_count FROM products ORDER BY vendor, name',
  vendors: 'SELECT name, products_count, vulns_count FROM vendors ORDER BY name',
  epss: 'SELECT cveid, round(epss, 3) FROM epss_scores ORDER BY cveid',
  counters:
    "SELECT name, value FROM counters WHERE name NOT IN ('kb_version', 'guesses_settled_to', 'read_at_ms', 'alerts_planned_to') ORDER BY name",
  search:
    'SELECT v.cveid FROM vulns_fts f JOIN vulns v ON v.id = f.rowid WHERE vulns_fts MATCH \'"overflow"\' ORDER BY v.cveid',
}

/** A hash of each part of the knowledge base; two loads of the same feeds have the same. */
export function contentHashes(state: string) {
  const db = new DatabaseSync(databaseFile(state), { readOnly: true })
  try {
    return Object.fromEntries(Object.entries(contents).map(([name, sql]) => [name, hashText(db, sql)]))
  } finally {
    db.close()
  }
}

function hashText(db: DatabaseSync, sql: string) {
  const sum = createHash('sha256')
  let count = 0
  for (const row of db.prepare(sql).iterate()) {
    sum.update(JSON.stringify(Object.values(row)))
    count++
  }
  return `${count} rows ${sum.digest('hex').slice(0, 16)}`
}
