import { DatabaseSync } from 'node:sqlite'
import { readColumns } from './raw-load.ts'

/** Copies vulnerabilities under other ids until there are `to` of them: a knowledge base in some years. */
export function grow(file: string, to: number) {
  const db = new DatabaseSync(file)
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)
  const columns = readColumns(db, 'vulns').filter((name) => name !== 'id' && name !== 'cveid')
  const years = ['updated_at', 'published', 'modified', 'created_at']
  db.exec('PRAGMA synchronous = OFF')
  for (let round = 1; number('SELECT count(*) FROM vulns') < to; round++) {
    const [first, most] = [number('SELECT max(id) FROM vulns'), to - number('SELECT count(*) FROM vulns')]
    db.exec('BEGIN')
    // Each round is half a day earlier, so that copies and originals mix.
    const values = columns.map((name) => (years.includes(name) ? `${name} - ${round * 43_200}` : name))
    db.exec(`INSERT INTO vulns(id, cveid, ${columns.join(', ')})
      SELECT id + ${first}, 'CVE-${2999 - round}-' || (100000 + id), ${values.join(', ')} FROM vulns
      WHERE id <= ${first} AND org_id IS NULL ORDER BY id LIMIT ${most}`)
    for (const table of [
      'vuln_records',
      'affected',
      'affected_packages',
      'vuln_products',
      'vuln_packages',
      'vuln_aliases',
    ]) {
      const own = readColumns(db, table)
      const copied = own.map((name) =>
        name === 'vuln_id' ? `vuln_id + ${first}` : name === 'touched' ? `touched - ${round * 43_200}` : name,
      )
      db.exec(`INSERT INTO ${table}(${own.join(', ')}) SELECT ${copied.join(', ')} FROM ${table}
        WHERE vuln_id <= ${first} AND vuln_id + ${first} IN (SELECT id FROM vulns)`)
    }
    for (const table of ['exploits', 'threats']) {
      const own = readColumns(db, table).filter((name) => name !== 'id')
      const copied = own.map((name) => (name === 'vuln_id' ? `vuln_id + ${first}` : name))
      db.exec(`INSERT INTO ${table}(${own.join(', ')}) SELECT ${copied.join(', ')} FROM ${table}
        WHERE org_id IS NULL AND vuln_id <= ${first} AND vuln_id + ${first} IN (SELECT id FROM vulns)`)
    }
    db.exec('COMMIT')
  }
  db.exec(`UPDATE products SET vulns_count = (SELECT count(*) FROM vuln_products l WHERE l.product_id = products.id);
    UPDATE packages SET vulns_count = (SELECT count(*) FROM vuln_packages l WHERE l.package_id = packages.id);
    UPDATE counters SET value = (SELECT count(*) FROM vulns WHERE state <> 'rejected') WHERE name = 'vulns';
    UPDATE counters SET value = (SELECT count(*) FROM vulns WHERE state <> 'rejected' AND cveid LIKE 'CVE-%') WHERE name = 'cves';
    DELETE FROM product_versions;
    ANALYZE;
    PRAGMA wal_checkpoint(TRUNCATE)`)
  const vulns = number('SELECT count(*) FROM vulns')
  const bytes = number('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')
  db.close()
  return { vulns, bytes }
}
