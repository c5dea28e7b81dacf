import './worker-modules.ts'
import { timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { emptyDatabase } from '../support/database.ts'
import { admin } from '../support/product.ts'
import { asD1 } from '../support/sqlite-d1.ts'
import { workerSettings } from '../support/worker-settings.ts'
import { distantD1, type Distance } from './distant-d1.ts'
import type { Figure } from './figures.ts'
import { quantile } from './latency.ts'

const rounds = 5
const vulns = 2_000
/** A write is known to a copy after 0 to 2 seconds. */
const lags_ms = [0, 1_300, 400, 2_000, 150, 900, 50, 600]

const [farSide, farAway_ms] = ['the far side', 150]
/** Ways of a trip in milliseconds: to the primary, in Western Europe, and to the nearest of the copies that D1 keeps, one a region. */
const places: [name: string, primary_ms: number, copy_ms?: number][] = [
  ['beside the primary', 1],
  ['the same continent', 30, 5],
  ['the next continent', 80, 5],
  [farSide, farAway_ms, 5],
  ['the far side, its copy a region away', 150, 50],
]

const list = '/api/vulns/?limit=10&count=quick'
/** The questions of a screen at once; the last one is over when all are answered. */
const screens: Record<string, string[]> = {
  list: [list],
  'list and count': [list, '/api/vulns/count', '/api/views/'],
  search: ['/api/vulns/?search=widget&limit=10&count=quick', '/api/views/'],
  detail: ['/api/vulns/7/', '/api/vulns/7/counter', '/api/vulns/7/comments', '/api/vulns/7/status/history'],
  triage: ['/api/vulns/?limit=50&sorted_by=risk&count=quick', '/api/vulns/triage/marks?ids=1,2,3,4,5,6,7,8,9,10'],
  home: ['/api/vulns/stats', '/api/vulns/news', '/api/vulns/latest?timedelta=30', '/api/vulns/desk'],
}

type Worker = { fetch: (request: Request, env: object, context: object) => Promise<Response> }

/** The waits of readers, without their way to the Worker: the Worker runs here, on SQLite, and each trip lasts. */
export async function measureWorld(): Promise<Figure[]> {
  // Workers have it, Node has it elsewhere.
  Object.assign(crypto.subtle, { timingSafeEqual })
  const file = emptyDatabase(':memory:')
  await plantWorld(file)
  const without = new Map<string, Waits>()
  const withCopies = new Map<string, Waits>()
  for (const [name, primary_ms, copy_ms] of places) {
    without.set(name, await readFrom(file, { primary_ms, lags_ms }))
    if (copy_ms !== undefined) withCopies.set(name, await readFrom(file, { primary_ms, copy_ms, lags_ms }))
  }
  file.close()
  const [far, farCopy] = [without.get(farSide)?.get('list') ?? [], withCopies.get(farSide)?.get('list') ?? []]
  const names = [...(without.get(farSide)?.keys() ?? [])]
  return [
    {
      what: 'the list from the far side, p50',
      figure: `${(quantile(far, 0.5) / farAway_ms).toFixed(2)} trips`,
      bound: '1.3 trips',
    },
    { what: 'and with a copy', figure: `${median(farCopy)} ms`, bound: '60 ms' },
    ...names.map((name) => ({
      what: name,
      figure: `${describe(without, name)}; with copies ${describe(withCopies, name)}`,
    })),
  ]
}

/** By screen. */
type Waits = Map<string, number[]>

const median = (waits: number[] | undefined) => (waits ? Math.round(quantile(waits, 0.5)) : '–')
const describe = (all: Map<string, Waits>, screen: string) =>
  places.map(([name]) => median(all.get(name)?.get(screen))).join(' · ')

async function readFrom(file: DatabaseSync, distance: Distance): Promise<Waits> {
  const waits: Waits = new Map()
  const near = distantD1(file, distance)
  const { ask, signIn, rest } = aReader(near)
  const time = async (name: string, work: () => Promise<unknown>) => {
    const from = performance.now()
    await work()
    const known = waits.get(name) ?? []
    waits.set(name, [...known, performance.now() - from])
  }
  // Loading code is no wait for the database.
  await signIn()
  for (const paths of Object.values(screens)) await Promise.all(paths.map((path) => ask(path)))
  for (let round = 0; round < rounds; round++) {
    await time('signing in', signIn)
    await time('the first list in an isolate', () => ask(list))
    await rest()
    for (const [name, paths] of Object.entries(screens))
      await time(name, () => Promise.all(paths.map((path) => ask(path))))
    await time('a decision', () => ask('/api/vulns/7/snooze', { kind: 'snoozed', until: `2099-01-${10 + round}` }))
    await time('the list after it', () => ask(list))
    await rest()
  }
  return waits
}

/** A browser that says what it has seen of the database. */
function aReader(DB: ReturnType<typeof distantD1>) {
  const env = { DB, ...settings }
  let [seen, authorization, written_ms] = ['', '', Number.NEGATIVE_INFINITY]
  async function ask(path: string, body?: object) {
    const { default: worker } = await importWorker<{ default: Worker }>('index.ts')
    // As `web/lib/call` does.
    const isSpread = performance.now() - written_ms > 2_000
    const headers = { 'content-type': 'application/json', authorization, ...(isSpread && { 'x-d1-bookmark': seen }) }
    const request = new Request(settings.APP_URL + path, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const response = await worker.fetch(request, env, { waitUntil: () => undefined })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    seen = response.headers.get('x-d1-bookmark') ?? seen
    if (body) written_ms = performance.now()
    return response
  }
  async function signIn() {
    authorization = ''
    const response = await ask('/api/public/jwt-auth/obtain-token/', admin)
    const { access } = (await response.json()) as { access: string }
    authorization = `JWT ${access}`
  }
  const rest = async () => {
    await DB.untilKnown()
    written_ms = Number.NEGATIVE_INFINITY
  }
  return { ask, signIn, rest }
}

const queue = { send: async () => undefined }
const settings = {
  ...workerSettings,
  ADMIN_USERNAME: admin.username,
  ADMIN_PASSWORD: admin.password,
  JOBS: queue,
  FEEDS: queue,
  ALERTS: queue,
  VERDICTS: queue,
  DELIVERIES: queue,
}

const importWorker = async <Module>(path: string) =>
  (await import(new URL(`../../worker/${path}`, import.meta.url).href)) as Module

/** Two thousand vulnerabilities, merged by the Worker, some of them of a product that the first admin's organization monitors. */
async function plantWorld(file: DatabaseSync) {
  const { openDb } = await importWorker<{ openDb: (env: object) => object }>('db/open.ts')
  const { saveRecords } = await importWorker<{ saveRecords: (db: object, chunk: object) => Promise<unknown> }>(
    'merge/save-records.ts',
  )
  const { ensureFirstAdmin } = await importWorker<{
    ensureFirstAdmin: (env: object, db: object, now: Date) => Promise<void>
  }>('orgs/first-admin.ts')
  const env = { ...settings, DB: asD1(file) }
  const now = new Date()
  for (let from = 0; from < vulns; from += 500) {
    const records = Array.from({ length: 500 }, (_, at) => aRecord(from + at, now))
    await saveRecords(openDb(env), { source: 'nvd', records, is_backfill: false, now })
  }
  await ensureFirstAdmin(env, openDb(env), now)
}

const aRecord = (at: number, now: Date) => ({
  cveid: `CVE-2026-${10_000 + at}`,
  state: 'published',
  summary: `A flaw in Widget ${at % 40} lets a visitor run what he likes.`,
  published: new Date(now.getTime() - at * 3_600_000).toISOString(),
  modified: now.toISOString(),
  cvss3: { score: 1 + (at % 90) / 10, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', by: 'nvd' },
  affected: [{ vendor: `vendor${at % 20}`, product: `widget${at % 40}`, ranges: [{ cpe: 'a:*', lt: '2.0' }] }],
})
