import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../scripts/start/options.ts'
import { contentHashes, databaseFile } from '../support/database.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { admin, newProductState, signInByApi, startProduct, untilFeeds } from '../support/product.ts'
import type { ApiClient, FeedState, Product } from '../support/product.ts'
import { startReceivers, type BoxState } from '../support/receivers.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'

/** DRILL_VULNS=50000 is the size that a restore is promised for. */
const vulns = Number(process.env.DRILL_VULNS ?? 200)
const organizations = 20
/** Existing ones have lower numbers, and those that the new installation makes before. */
const first = 101
const minutes = Math.max(10, vulns / 2_000)

const running: Product[] = []
const receivers = await startReceivers()
afterAll(async () => {
  for (const product of running) await product.kill()
  await receivers.close()
})

const records = Array.from({ length: vulns }, (_, at) =>
  aCve(`CVE-${2020 + (at % 6)}-${10_000 + at}`, {
    configurations: affecting(aMatch(`vendor_${at % 50}`, `product_${at % 400}`, { versionEndExcluding: '5.0' })),
  }),
)
const feeds = feedsFolder(records)
const env = { LOCAL_CHANNELS: '1', RATE_SCALE: '1000' }
const isLoaded = (all: Map<string, FeedState>) => [...all.values()].every(({ last_success }) => last_success !== null)

async function open(state?: string) {
  const product = await startProduct({ feeds: feeds.folder, env, ...(state && { state }) })
  running.push(product)
  await untilFeeds(product.url, isLoaded, minutes * 60, 1)
  return product
}

/** With a user each, by SQL: people who sign up do so one after the other. */
function plant({ state }: Product) {
  const db = new DatabaseSync(databaseFile(state), { timeout: 60_000 })
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${organizations - 1})`
  const at = '2026-01-01T00:00:00Z'
  for (const sql of [
    `${numbers} INSERT INTO orgs(id, name, slug, created_at) SELECT ${first} + i, 'drill' || i, 'drill' || i, '${at}' FROM n`,
    `${numbers} INSERT INTO users(id, username, email, password_hash, created_at, email_verified_at)
     SELECT ${first} + i, 'drill' || i, 'drill' || i || '@example.org', u.password_hash, '${at}', '${at}' FROM n CROSS JOIN users u WHERE u.username = '${admin.username}'`,
    `${numbers} INSERT INTO members(org_id, user_id, is_admin, manage_organization, manage_metadata) SELECT ${first} + i, ${first} + i, 1, 1, 1 FROM n`,
    `${numbers} INSERT INTO alert_settings(org_id) SELECT ${first} + i FROM n`,
  ])
    db.exec(sql)
  db.close()
}

const signInAll = ({ url }: Product) =>
  Promise.all(Array.from({ length: organizations }, (_, at) => signInByApi(url, { ...admin, username: `drill${at}` })))

async function must(client: ApiClient, url: string, path: string, body: unknown, method: 'POST' | 'PUT' = 'POST') {
  const headers = { authorization: client.authorization, 'content-type': 'application/json' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(url + path, { method, headers, body: text })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.text()
}

const bom = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: Array.from({ length: 10 }, (_, at) => ({
    type: 'library',
    name: `product_${at}`,
    version: '4.0',
    cpe: `cpe:2.3:a:vendor_${at}:product_${at}:4.0:*:*:*:*:*:*:*`,
  })),
})

/** A watchlist, an inventory, decisions, a channel and a view. */
async function fill({ url }: Product, client: ApiClient, at: number) {
  const post = (path: string, body: unknown, method?: 'POST' | 'PUT') => must(client, url, path, body, method)
  for (const vendor_name of ['vendor_7', `vendor_${at}`])
    await post('/api/monitor/vendor/toggle', { vendor_name, monitored: true })
  await post('/api/inventories/shop', bom, 'PUT')
  await post('/api/alerts/channels/webhook', { url: `${receivers.url}/drill${at}/hook` }, 'PUT')
  await post('/api/views/', { name: 'Exploited', query: 'q=kev', is_shared: true })
  const { results } = await client.get<{ results: { id: number }[] }>('/api/vulns/?monitored=true&limit=2')
  for (const [place, { id }] of results.entries()) {
    await post(`/api/vulns/${id}/status/edit`, { status: place ? 'not_interesting' : 'fixed' })
    await post(`/api/vulns/${id}/comments`, { body: `Seen by drill${at}` })
  }
}

/** To vulnerabilities, as feeds come in another order. */
function giveOtherNumbers(state: string) {
  const db = new DatabaseSync(databaseFile(state))
  db.exec("INSERT INTO sqlite_sequence(name, seq) VALUES ('vulns', 1000)")
  db.close()
}

/** Of each export, without the time at which it was made. */
const hashAll = async ({ url }: Product, clients: ApiClient[]) =>
  Promise.all(
    clients.map(async (client) => {
      const file = await must(client, url, '/api/transfer/export', {})
      const lines = file.trimEnd().split('\n').slice(1).toSorted()
      return `${lines.length} ${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`
    }),
  )

/** How often each organization was told of it. */
const countTold = async (cveid: string) =>
  Promise.all(
    Array.from({ length: organizations }, async (_, at) => {
      const { requests } = (await (await fetch(`${receivers.url}/drill${at}/state`)).json()) as BoxState
      return requests.filter(({ taken, body }) => taken && body.includes(cveid)).length
    }),
  )
const once = Array(organizations).fill(1) as number[]

/** A source tells of a flaw in what all of them watch. */
async function arrive({ url, tick }: Product, cveid: string) {
  const at = new Date().toISOString().slice(0, 19)
  const configurations = affecting(aMatch('vendor_7', 'product_7', { versionEndExcluding: '5.0' }))
  feeds.arrive([aCve(cveid, { lastModified: at, published: at, configurations })])
  await (await signInByApi(url)).post('/api/data/sync/run?feed=nvd', {})
  const seconds = 120
  for (let waited = 0; waited < seconds && (await countTold(cveid)).some((count) => count === 0); waited++) {
    if (waited % 10 === 5) await tick()
    await sleep(1_000)
  }
  // One more turn of the clock brings nothing more.
  await tick()
  await sleep(2_000)
  expect(await countTold(cveid)).toEqual(once)
}

const untilJudged = (clients: ApiClient[]) =>
  expect
    .poll(
      () =>
        Promise.all(
          clients.map(async (client) => {
            const { results } = await client.get<{ results: { pending_count: number }[] }>('/api/inventories/')
            return results[0]?.pending_count
          }),
        ),
      { timeout: 120_000, interval: 2_000 },
    )
    .toEqual(Array(clients.length).fill(0))

test(
  'a database with all its organizations is lost, comes back in a new installation, and its alerts go on once each',
  { timeout: minutes * 180_000 },
  async () => {
    const lost = await open()
    plant(lost)
    const before = await signInAll(lost)
    for (const [at, client] of before.entries()) await fill(lost, client, at)
    await untilJudged(before)
    await arrive(lost, 'CVE-2026-77001')
    const night = Date.parse(`${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T02:00:00Z`)
    for (let minute = 0; minute < 5; minute++)
      await fetch(
        `${lost.url}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent('* * * * *')}&time=${night + minute * 60_000}`,
      )
    const hashes = await hashAll(lost, before)
    expect(new Set(hashes).size).toBe(organizations)
    await lost.kill()
    const { counters: _, ...knowledge } = contentHashes(lost.state)

    const state = await newProductState()
    copyFileSync(join(lost.state, 'secret'), join(state, 'secret'))
    cpSync(join(lost.state, 'wrangler/v3/r2'), join(state, 'wrangler/v3/r2'), { recursive: true })
    giveOtherNumbers(state)
    const found = await open(state)
    const began = Date.now()
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['scripts/restore.ts', '--at', new Date(night + 3_600_000).toISOString(), '--url', found.url],
      { cwd: root, env: { ...process.env, ADMIN_USERNAME: admin.username, ADMIN_PASSWORD: admin.password } },
    )
    console.info(`${vulns} vulnerabilities, restored in ${((Date.now() - began) / 1_000).toFixed(1)} s\n${stdout}`)
    expect(stdout.match(/^✓ organization \d+: \d+ rows came back from the backup of \S+$/gm)).toHaveLength(
      organizations + 1,
    )
    const after = await signInAll(found)
    await untilJudged(after)
    expect(await hashAll(found, after)).toEqual(hashes)
    const { counters: __, ...again } = contentHashes(found.state)
    expect(again).toEqual(knowledge)
    await found.tick()
    await arrive(found, 'CVE-2026-77002')
    expect(await countTold('CVE-2026-77001')).toEqual(once)
  },
)
