import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { asD1 } from './sqlite-d1.ts'
import { emptyDatabase } from './raw-load.ts'
import './worker-modules.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
export const deliveryBase = { orgs: 10, vulns: 50 }
const at = '2026-01-01T00:00:00Z'
const address = 'kim@acme.example'

type Surroundings = {
  send: (message: unknown, options?: { delaySeconds?: number }) => Promise<void>
  /** May make a database query fail. */
  interrupt?: () => void
  smtp_url?: string
}

/** The parts of Env that deliveries use. */
export const deliveryEnv = (file: DatabaseSync, { send, interrupt, smtp_url }: Surroundings) => ({
  DB: asD1(file, interrupt),
  SMTP_URL: smtp_url,
  DELIVERIES: { send },
  APP_SECRET: 'only-for-the-bench-0123456789-0123456789',
  APP_URL: 'https://earshot.example',
  MAIL_FROM: 'alerts@earshot.example',
  LOCAL_CHANNELS: '1',
})

type Modules = {
  deliverDue: (env: object, db: unknown, clock: () => Date) => Promise<void>
  openDb: (env: object) => unknown
  sealSecrets: (env: object, secrets: object) => Promise<string>
}

/** Loads the Worker's own delivery code into this process. */
export async function importDelivery() {
  const load = async (file: string) => (await import(new URL(`../../worker/${file}`, import.meta.url).href)) as Modules
  const [{ deliverDue }, { openDb }, { sealSecrets }] = [
    await load('alerts/deliver/deliver.ts'),
    await load('db/open.ts'),
    await load('alerts/channels/secrets.ts'),
  ]
  return { deliverDue, openDb, sealSecrets }
}

const paths = { webhook: 'hook', thehive: 'hive', misp: 'misp' } as const
type Way = keyof typeof paths

/** An empty knowledge base of the Worker's schema, with organizations whose channels lead to `boxes`. */
export async function createDeliveryBase(orgs: number, ways: Way[], boxFor: (org_id: number) => string) {
  const { sealSecrets } = await importDelivery()
  const path = join(mkdtempSync(join(tmpdir(), 'earshot-deliveries-')), 'base.sqlite')
  const file = emptyDatabase(migrations, path)
  const env = deliveryEnv(file, { send: async () => undefined })
  const numbers = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`
  file.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF')
  file.exec(
    `${numbers(orgs)} INSERT INTO orgs(id, name, slug, created_at) SELECT i, 'Org ' || i, 'o' || i, '${at}' FROM n`,
  )
  file.exec(`INSERT INTO alert_settings(org_id, alerts_emails) SELECT id, json_array('${address}') FROM orgs`)
  file.exec(`INSERT INTO alert_addresses(org_id, email, confirmed_at) SELECT id, '${address}', '${at}' FROM orgs`)
  file.exec(`${numbers(deliveryBase.vulns)} INSERT INTO vulns(id, cveid, state, summary, score, cvss3, created_at, updated_at)
    SELECT i, 'CVE-2026-' || (10000 + i), 'published', 'A flaw lets a visitor read what is not theirs.', 70, 9, 0, 0 FROM n`)
  const insert = file.prepare('INSERT INTO alert_channels(org_id, channel, secrets) VALUES (?, ?, ?)')
  for (let org_id = 1; org_id <= orgs; org_id++)
    for (const way of ways) {
      const key = `whsec_${Buffer.alloc(32, org_id).toString('base64')}`
      const secrets = { url: `${boxFor(org_id)}/${paths[way]}`, apikey: 'key-0123456789abcdef', key }
      insert.run(org_id, way, await sealSecrets(env, secrets))
    }
  return { path, file }
}

/** Alerts with one due delivery each: of ten, seven go to webhooks, one to mail, one to TheHive, one to MISP (there two per vulnerability). */
export function plantDeliveries(file: DatabaseSync, count: number) {
  const { orgs, vulns } = deliveryBase
  const turn = `(a.change_seq / ${orgs})`
  file.exec(`
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
    SELECT i % ${orgs} + 1, i / ${orgs * 10} % ${vulns} + 1, i, i, 'updated', 2, '${at}', '${at}' FROM n;
    INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
    SELECT a.org_id, a.id, CASE ${turn} % 10 WHEN 0 THEN 'thehive' WHEN 1 THEN 'misp' WHEN 2 THEN 'email' ELSE 'webhook' END,
      iif(${turn} % 10 = 2, '${address}', ''), 'updated', 2, 'pending', '${at}' FROM alerts a`)
}

/** When the next delivery is due, in milliseconds; null when none waits. */
export function findNextDue(file: DatabaseSync) {
  const row = file
    .prepare(
      `SELECT min(at) AS at FROM (SELECT min(next_attempt_at) AS at FROM deliveries WHERE status = 'pending'
         UNION ALL SELECT min(lease_until) FROM deliveries WHERE status = 'sending')`,
    )
    .get()
  return row?.['at'] ? Date.parse(String(row['at'])) : null
}
