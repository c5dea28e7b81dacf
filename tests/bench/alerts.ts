import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseFile } from '../support/database.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { signIn, startProduct, untilFeeds } from '../support/product.ts'
import type { Client } from '../support/product.ts'
import { startReceivers } from '../support/receivers.ts'
import type { BoxState } from '../support/receivers.ts'
import { aCve } from '../support/records.ts'
import { measureFanOut } from './fan-out.ts'
import type { Figure } from './figures.ts'

/** `BENCH_ALERTS=orgs,items,changes,deliveries` tries it small. */
const [orgs = 1_000, items = 10_000, changes = 300, deliveries = 10_000] = (process.env.BENCH_ALERTS ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number)

export async function measureAlerts(): Promise<Figure[]> {
  return [...(await measureFanOut({ orgs, items, changes })), ...(await measureDeliveries())]
}

/** A fifth of all sends fails before, a fifth after acceptance, and the whole product is killed again and again. */
export async function measureDeliveries(): Promise<Figure[]> {
  const receivers = await startReceivers()
  const url = `${receivers.url}/bench`
  try {
    const { state, kills, seconds } = await deliver(url)
    const db = new DatabaseSync(databaseFile(state), { readOnly: true })
    const rows = db.prepare('SELECT status, count(*) AS count FROM deliveries GROUP BY status').all()
    const ids = db.prepare("SELECT id FROM deliveries WHERE channel = 'webhook' AND status = 'sent'").all()
    const tries = db.prepare('SELECT max(attempts) AS most, avg(attempts) AS mean FROM deliveries').get()
    db.close()
    const { requests, alerts, events } = (await (await fetch(`${url}/state`)).json()) as BoxState
    const taken = requests.filter(({ taken: is, path }) => is && path === '/hook')
    const byId = Map.groupBy(taken, ({ headers }) => headers['webhook-id'] ?? '')
    const changed = [...byId.values()].filter((same) => new Set(same.map(({ body }) => readVuln(body))).size > 1)
    const lost = ids.filter(({ id }) => !byId.has(`msg_${String(id)}`)).length
    const repeats = taken.length - byId.size
    const total = Object.fromEntries(rows.map(({ status, count }) => [String(status), Number(count)]))
    return [
      { what: 'deliveries', figure: `${deliveries} in ${seconds.toFixed(0)} s, ${kills} kills` },
      { what: 'tries of each', figure: `${Number(tries?.['mean']).toFixed(2)}, at most ${String(tries?.['most'])}` },
      {
        what: 'given up after ten tries, and shown so',
        figure: String(total['dead'] ?? 0),
        bound: `${deliveries / 1_000}`,
      },
      {
        what: 'neither sent nor given up',
        figure: String(deliveries - (total['sent'] ?? 0) - (total['dead'] ?? 0)),
        bound: '0',
      },
      { what: 'called sent, but never taken', figure: String(lost), bound: '0' },
      { what: 'taken twice, under the same id', figure: String(repeats) },
      { what: 'repeats under another id', figure: String(changed.length), bound: '0' },
      { what: 'alerts of TheHive, events of MISP', figure: `${alerts.length}, ${events.length}`, bound: '1, 1' },
      { what: 'requests', figure: String(requests.length) },
    ]
  } finally {
    await receivers.close()
  }
}

const readVuln = (body: string) => (JSON.parse(body) as { data: { alert_id?: number } }).data.alert_id

const ways: [channel: string, path: string][] = [
  ['webhook', 'hook'],
  ['thehive', 'hive'],
  ['misp', 'misp'],
]
const maxRounds = 200

async function deliver(url: string) {
  const feeds = feedsFolder([aCve('CVE-2026-10001')]).folder
  const env = { LOCAL_CHANNELS: '1', RATE_SCALE: '1000' }
  const first = await startProduct({ feeds, env })
  const { state, port } = first
  await untilFeeds(first.url, (all) => all.get('nvd')?.last_success !== null && all.get('nvd')?.state === 'idle')
  await configure(await signIn(first.url), first.url, url)
  await first.kill()
  plant(databaseFile(state))
  await fetch(`${url}/behave`, { method: 'PUT', body: JSON.stringify({ lose_before: 0.2, lose_after: 0.2 }) })

  const began = performance.now()
  for (let kills = 1; kills <= maxRounds; kills++) {
    const product = await startProduct({ feeds, state, port, env })
    // Messages come twice.
    await Promise.all([product.tick(), product.tick()])
    await sleep(3_000 + Math.random() * 40_000)
    await product.kill('SIGKILL')
    if (!goOn(databaseFile(state))) return { state, kills, seconds: (performance.now() - began) / 1000 }
  }
  throw new Error(`Some are still not sent after ${maxRounds} kills`)
}

async function configure({ authorization, post }: Client, product: string, receivers: string) {
  await post('/api/monitor/product/toggle', { vendor_name: 'acme', product_name: 'widget', monitored: true })
  for (const [channel, path] of ways) {
    const body = JSON.stringify({
      url: `${receivers}/${path}`,
      ...(channel !== 'webhook' && { apikey: 'key-0123456789abcdef' }),
    })
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${product}/api/alerts/channels/${channel}/`, { method: 'PUT', headers, body })
    if (!answer.ok) throw new Error(`${channel}: ${answer.status} ${await answer.text()}`)
  }
}

/** Alerts of one vulnerability with a delivery each: eight of ten by webhook. */
function plant(file: string) {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  const at = '2026-01-01T00:00:00Z'
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${deliveries})
    INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
    SELECT c.org_id, 1, 1000000 + i, 1000000 + i, 'updated', 2, '${at}', '${at}' FROM n CROSS JOIN (SELECT org_id FROM alert_channels LIMIT 1) c;
    INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
    SELECT org_id, id, CASE id % 10 WHEN 0 THEN 'thehive' WHEN 1 THEN 'misp' ELSE 'webhook' END, '', 'updated', 2, 'pending', '${at}' FROM alerts`)
  db.close()
}

/** Time passes: what waits is due, what was tried more often later, and the leases of the dead are out. Answers whether anything waits. */
function goOn(file: string) {
  // What was killed may take a moment to be gone.
  const db = new DatabaseSync(file, { timeout: 60_000 })
  db.exec(`UPDATE deliveries SET next_attempt_at = '2026-01-01T00:00:' || printf('%02dZ', attempts) WHERE status IN ('pending', 'sending');
    UPDATE deliveries SET lease_until = '2026-01-01T00:00:00Z' WHERE status = 'sending';
    UPDATE alert_channels SET failing_since = NULL, disabled_at = NULL`)
  const waiting = db.prepare("SELECT count(*) AS n FROM deliveries WHERE status IN ('pending', 'sending')").get()
  db.close()
  return Number(waiting?.n) > 0
}
