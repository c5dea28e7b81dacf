import './worker-modules.ts'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { workerSettings } from '../support/worker-settings.ts'
import { emptyDatabase } from './raw-load.ts'
import { asD1 } from './sqlite-d1.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const at = '2026-01-01T00:00:00Z'
const address = 'kim@acme.example'
const vulns = 50

type Surroundings = { send: (message: unknown) => Promise<void>; smtp_url?: string }

/** The parts of Env that deliveries use. */
export const testEnv = (file: DatabaseSync, { send, smtp_url }: Surroundings) => ({
  DB: asD1(file),
  SMTP_URL: smtp_url,
  DELIVERIES: { send },
  ...workerSettings,
})

type Modules = {
  deliverDue: (env: object, db: unknown, clock: () => Date) => Promise<void>
  openDb: (env: object) => unknown
  sealSecrets: (env: object, secrets: object) => Promise<string>
}

export async function importDelivery() {
  const load = async (file: string) => (await import(new URL(`../../worker/${file}`, import.meta.url).href)) as Modules
  const [{ deliverDue }, { openDb }, { sealSecrets }] = [
    await load('alerts/deliver/deliver.ts'),
    await load('db/open.ts'),
    await load('alerts/channels/secrets.ts'),
  ]
  return { deliverDue, openDb, sealSecrets }
}

const paths: Record<string, string> = { webhook: 'hook', thehive: 'hive', misp: 'misp' }
const numbersTo = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`

/** Organizations whose routes lead to one box of receivers, and vulnerabilities to tell of. */
export async function createBase(path: string, { orgs, routes, box }: { orgs: number; routes: string[]; box: string }) {
  const { sealSecrets } = await importDelivery()
  const file = emptyDatabase(migrations, path)
  const env = testEnv(file, { send: async () => undefined })
  file.exec('PRAGMA foreign_keys = OFF; PRAGMA busy_timeout = 60000')
  for (const sql of [
    `${numbersTo(orgs)} INSERT INTO orgs(id, name, slug, created_at) SELECT i, 'Org ' || i, 'o' || i, '${at}' FROM n`,
    `INSERT INTO alert_settings(org_id, alerts_emails) SELECT id, json_array('${address}') FROM orgs`,
    `INSERT INTO alert_addresses(org_id, email, confirmed_at) SELECT id, '${address}', '${at}' FROM orgs`,
    `${numbersTo(vulns)} INSERT INTO vulns(id, cveid, state, summary, score, cvss3, created_at, updated_at)
     SELECT i, 'CVE-2026-' || (10000 + i), 'published', 'A flaw lets a visitor read what is not theirs.', 70, 9, 0, 0 FROM n`,
  ])
    file.exec(sql)
  const insert = file.prepare('INSERT INTO alert_channels(org_id, channel, secrets) VALUES (?, ?, ?)')
  for (let org_id = 1; org_id <= orgs; org_id++)
    for (const route of routes) {
      const key = `whsec_${Buffer.alloc(32, org_id).toString('base64')}`
      const url = `${box}/${paths[route.split('-')[0] ?? '']}`
      insert.run(org_id, route, await sealSecrets(env, { url, apikey: 'key-0123456789abcdef', key }))
    }
  return file
}

type Planted = { org_id: number; count: number; told: number; routes: string[] }

/** Alerts with one message each that is due now, by the routes in turn; answers the number of the last. */
export function plant(file: DatabaseSync, { org_id, count, told, routes }: Planted) {
  const first = Number(file.prepare('SELECT coalesce(max(id), 0) AS id FROM alerts').get()?.['id'])
  const now = new Date().toISOString().slice(0, 19)
  file.exec(`BEGIN;
    ${numbersTo(count)} INSERT INTO alerts(id, org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
    SELECT ${first} + i, ${org_id}, i % ${vulns} + 1, ${first} + i, ${first} + i, 'updated', ${told}, '${now}Z', '${now}Z' FROM n;
    INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
    SELECT org_id, alerts.id, r.value, iif(r.value = 'email', '${address}', ''), 'updated', ${told}, 'pending', '${now}Z' FROM alerts
    JOIN json_each('${JSON.stringify(routes)}') r ON r.key = alerts.id % ${routes.length} WHERE alerts.id > ${first};
    COMMIT`)
  return first + count
}

export const countOpen = (file: DatabaseSync) =>
  Number(
    file.prepare("SELECT count(*) AS found FROM deliveries WHERE status IN ('pending', 'sending')").get()?.['found'],
  )

/** When the next message is due, in milliseconds; null when none waits. */
export function findNextDue(file: DatabaseSync) {
  const row = file
    .prepare(
      `SELECT min(at) AS at FROM (SELECT min(next_attempt_at) AS at FROM deliveries WHERE status = 'pending'
         UNION ALL SELECT min(lease_until) FROM deliveries WHERE status = 'sending')`,
    )
    .get()
  return row?.['at'] ? Date.parse(String(row['at'])) : null
}
