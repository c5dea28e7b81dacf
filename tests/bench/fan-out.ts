import './worker-modules.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Figure } from './figures.ts'
import { emptyDatabase } from './raw-load.ts'
import { asD1 } from './sqlite-d1.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
/** A change concerns one in this many organizations. */
const spread = 10

/**
 * Plans alerts with the Worker's own statements, on the same SQLite as a bare INSERT…SELECT of the resulting
 * rows; then everything again, as if the queue repeated all messages.
 */
export async function measureFanOut({ orgs, items, changes }: { orgs: number; items: number; changes: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-fan-out-'))
  const db = emptyDatabase(migrations, join(folder, 'fan-out.sqlite'))
  try {
    fill(db, { orgs, items, changes })
    const [{ openDb }, { planAlerts }] = [await importWorker('db/open.ts'), await importWorker('alerts/plan/plan.ts')]
    const plan = () => planAlerts(openDb({ DB: asD1(db) }), new Date())
    const [planned, again] = [await timed(plan), await timed(plan)]
    const alerts = count(db, 'alerts')
    const deliveries = count(db, 'deliveries')
    db.exec("UPDATE counters SET value = 0 WHERE name = 'alerts_planned_to'")
    const before = written(db)
    await plan()
    // One of the rows is the mark.
    const rewritten = written(db) - before - 1
    const raw = await timed(() => copyRows(db))
    return describe({ planned, again, raw, alerts, deliveries, rewritten, more: count(db, 'deliveries') - deliveries })
  } finally {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measured = Record<'planned' | 'again' | 'raw' | 'alerts' | 'deliveries' | 'rewritten' | 'more', number>

const describe = ({ planned, again, raw, alerts, deliveries, rewritten, more }: Measured): Figure[] => [
  { what: 'planning', figure: `${(planned / 1000).toFixed(2)} s, ${alerts} alerts, ${deliveries} deliveries` },
  { what: 'the same rows by raw INSERT…SELECT', figure: `${(raw / 1000).toFixed(2)} s` },
  { what: 'planning beside it', figure: `${(planned / raw).toFixed(2)} times`, bound: '2 times' },
  { what: 'planning when nothing is left', figure: `${again.toFixed(1)} ms` },
  { what: 'rows written when all is planned again', figure: String(rewritten), bound: '0' },
  { what: 'duplicates after it', figure: String(more), bound: '0' },
]

/** Each organization watches `items` of a larger pool; each change is about one item of the pool. */
function fill(db: DatabaseSync, { orgs, items, changes }: { orgs: number; items: number; changes: number }) {
  const numbers = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`
  const at = '2026-01-01T00:00:00Z'
  const pool = items * spread
  db.exec('PRAGMA foreign_keys = OFF; BEGIN')
  for (const sql of [
    `${numbers(orgs)} INSERT INTO orgs(id, name, slug, created_at) SELECT i, 'o' || i, 'o' || i, '${at}' FROM n`,
    'INSERT INTO alert_settings(org_id) SELECT id FROM orgs',
    "INSERT INTO alert_channels(org_id, channel, secrets, daily_max) SELECT id, 'webhook', 'x', 1000 FROM orgs",
    `${numbers(changes)} INSERT INTO vulns(id, cveid, state, summary, score, cvss3, created_at, updated_at)
     SELECT i, 'CVE-2026-' || (10000 + i), 'published', '', 70, 9, 0, 0 FROM n`,
    `${numbers(changes)} INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) SELECT i, i * ${Math.floor(pool / changes)}, 1, 0, 0 FROM n`,
    `${numbers(orgs)}, m(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM m WHERE k < ${items - 1})
     INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at)
     SELECT n.i, 1 + (k * ${spread} + (n.i + k) % ${spread}), 1, '${at}' FROM n CROSS JOIN m`,
    `INSERT INTO org_vulns(org_id, vuln_id) SELECT m.org_id, l.vuln_id FROM vuln_products l JOIN monitored_products m ON m.product_id = l.product_id`,
    `${numbers(changes)} INSERT INTO vuln_changes(vuln_id, at, kind, source, detail)
     SELECT i, '${at}', 'updated', 'nvd', '[{"field":"cvss3","from":5,"to":9}]' FROM n`,
    "INSERT OR IGNORE INTO counters(name, value) VALUES ('alerts_planned_to', 0)",
    "UPDATE counters SET value = 0 WHERE name = 'alerts_planned_to'",
  ])
    db.exec(sql)
  db.exec('COMMIT; ANALYZE')
}

/** One raw INSERT…SELECT per table from the tables that planning reads, without rules, limits or checks. */
async function copyRows(db: DatabaseSync) {
  db.exec('BEGIN; DELETE FROM deliveries; DELETE FROM alerts; COMMIT')
  const began = process.cpuUsage()
  const at = new Date().toISOString()
  db.exec('BEGIN')
  db.exec(`INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
    SELECT m.org_id, c.vuln_id, c.seq, c.seq, 'updated', 2, '${at}', '${at}' FROM vuln_changes c CROSS JOIN vulns v ON v.id = c.vuln_id
    CROSS JOIN vuln_products l ON l.vuln_id = c.vuln_id CROSS JOIN monitored_products m ON m.product_id = l.product_id AND m.is_monitored = 1
    CROSS JOIN orgs o ON o.id = m.org_id AND o.is_active = 1
    LEFT JOIN decisions s ON s.org_id = m.org_id AND s.vuln_id = c.vuln_id AND s.scope = 'vulnerability'
    LEFT JOIN decisions z ON z.vuln_id = c.vuln_id AND z.org_id = m.org_id AND z.scope = 'alerts'
    WHERE s.verdict IS NULL AND z.verdict IS NULL`)
  db.exec(`INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
    SELECT a.org_id, a.id, ch.channel, '', a.rule, 2, 'pending', '${at}' FROM alerts a CROSS JOIN vulns v ON v.id = a.vuln_id
    CROSS JOIN alert_channels ch ON ch.org_id = a.org_id AND ch.on_update
    LEFT JOIN quotas q ON q.org_id = a.org_id AND q.name = ch.channel AND q.day = '${at.slice(0, 10)}' WHERE coalesce(q.used, 0) < ch.daily_max`)
  db.exec('COMMIT')
  return spentSince(began)
}

const count = (db: DatabaseSync, table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
const written = (db: DatabaseSync) => Number(db.prepare('SELECT total_changes() AS n').get()?.n)

/** CPU time in milliseconds, or what the work measured itself: other processes do not disturb it. */
async function timed(work: () => Promise<unknown>) {
  const began = process.cpuUsage()
  const own = await work()
  return typeof own === 'number' ? own : spentSince(began)
}

function spentSince(began: NodeJS.CpuUsage) {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

type Worker = {
  openDb: (env: { DB: unknown }) => unknown
  planAlerts: (db: unknown, now: Date) => Promise<unknown>
}

const importWorker = async (file: string) =>
  (await import(new URL(`../../worker/${file}`, import.meta.url).href)) as Worker
