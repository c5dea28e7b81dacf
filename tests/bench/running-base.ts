import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../support/database.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startProduct, untilFeeds } from '../support/product.ts'
import { aCve } from '../support/records.ts'

/** `BENCH_RUNNING=0.1` tries it at a tenth of the size. */
const scale = Number(process.env.BENCH_RUNNING ?? 1)

export const sizes = {
  vulns: Math.round(400_000 * scale),
  products: Math.round(40_000 * scale),
  packages: Math.round(20_000 * scale),
  components: Math.round(5_000 * scale),
  delta: Math.round(1_000 * scale),
}

export type RunningBase = Awaited<ReturnType<typeof createRunningBase>>

/** A product that has started once, with a knowledge base that SQLite wrote directly, without feeds. */
export async function createRunningBase(env: Record<string, string>) {
  const { folder: feeds, arrive } = feedsFolder([aCve('CVE-2026-10001')])
  const state = mkdtempSync(join(tmpdir(), 'earshot-running-'))
  const product = await startProduct({ feeds, state, env })
  await untilFeeds(product.url, (all) => all.get('nvd')?.last_success !== null && all.get('nvd')?.state === 'idle', 60)
  await product.kill()
  const file = databaseFile(state)
  plantKnowledge(file)
  const remove = () => [feeds, state].forEach((one) => rmSync(one, { recursive: true, force: true }))
  // On the same port the mirror has the same address, so that the feed continues from its cursor.
  return { feeds, state, port: product.port, file, arrive, remove }
}

const numbers = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`
const at = '2026-01-01T00:00:00Z'
/** Existing rows have lower ids. */
const first = 1_000

/** Vulnerabilities of two products each, and every other one of a package, with ranges as feeds write them. */
function plantKnowledge(file: string) {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  db.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
  const { vulns, products, packages } = sizes
  const vendors = Math.ceil(products / 10)
  for (const sql of [
    `${numbers(vendors)} INSERT INTO vendors(id, name, products_count, vulns_count, updated_at)
     SELECT ${first} + i, 'vendor' || i, 10, ${Math.round((vulns * 2) / vendors)}, '${at}' FROM n`,
    `${numbers(products)} INSERT INTO products(id, vendor_id, vendor, name, vulns_count, updated_at)
     SELECT ${first} + i, ${first} + 1 + i % ${vendors}, 'vendor' || (1 + i % ${vendors}), 'product' || i, ${Math.round((vulns * 2) / products)}, '${at}' FROM n`,
    `${numbers(packages)} INSERT INTO packages(id, type, name, vulns_count, updated_at)
     SELECT ${first} + i, 'npm', 'package' || i, ${Math.round(vulns / 2 / packages)}, '${at}' FROM n`,
    `${numbers(vulns)} INSERT INTO vulns(id, cveid, state, summary, score, cvss3, epss, published, created_at, updated_at)
     SELECT ${first} + i, 'CVE-' || (2001 + i % 20) || '-' || (100000 + i), 'published', 'Flaw ' || i || ' lets a stranger in by a door that stood open',
       i % 101, (i % 100) / 10.0, (i % 1000) / 1000.0, 1700000000 + i, 1700000000 + i, 1700000000 + i FROM n`,
    ...[0, 1].flatMap((second) => [
      `${numbers(vulns)} INSERT OR IGNORE INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched)
       SELECT ${first} + i, p.id, p.vendor_id, 0, 1700000000 + i FROM n CROSS JOIN products p ON p.id = ${first} + 1 + (i * 7 + ${second} * 13) % ${products}`,
      `${numbers(vulns)} INSERT OR IGNORE INTO affected(vuln_id, product_id, source, ranges)
       SELECT ${first} + i, ${first} + 1 + (i * 7 + ${second} * 13) % ${products}, 'nvd', '[{"order":"loose","lt":"' || (1 + i % 9) || '.' || (i % 10) || '"}]' FROM n`,
    ]),
    `${numbers(vulns)} INSERT INTO vuln_packages(vuln_id, package_id, since_seq, touched)
     SELECT ${first} + i, ${first} + 1 + i % ${packages}, 0, 1700000000 + i FROM n WHERE i % 2 = 0`,
    `${numbers(vulns)} INSERT INTO affected_packages(vuln_id, package_id, source, ranges)
     SELECT ${first} + i, ${first} + 1 + i % ${packages}, 'osv', '[{"order":"semver","lt":"' || (1 + i % 9) || '.' || (i % 10) || '.0"}]' FROM n WHERE i % 2 = 0`,
    `UPDATE counters SET value = ${vulns + 1} WHERE name IN ('vulns', 'cves')`,
  ])
    db.exec(sql)
  db.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}
