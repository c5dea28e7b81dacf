import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { admin, signInByApi, type Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'
import { fairOrgs, sendBom, watched } from './fairness.ts'
import type { Figure } from './figures.ts'
import { lookAtHeap, openInspector } from './inspector.ts'
import { quantile } from './latency.ts'
import type { RunningBase } from './running-base.ts'

/** The changes of four hours at ten times the real pace; `BENCH_SOAK_HOURS=8` replays fewer. */
const hours = Number(process.env.BENCH_SOAK_HOURS ?? 40)
/** NVD changes a thousand records a day. */
const changesEach = 42
/** We ask NVD for a quarter of an hour of changes, which is two and a half at ten times the real pace. */
const hoursListed = 3
const readersEach = 5
const component = `cpe:2.3:a:${watched.vendor}:${watched.product}:1.0.1:*:*:*:*:*:*:*`
const pages = [
  '/api/vulns/?limit=20',
  '/api/vulns/?monitored=true&limit=20',
  '/api/vulns/?search=flaw%20door&limit=20',
  '/api/vulns/stats/monitored',
  '/api/inventories/shop/findings',
  '/api/alerts/',
  '/api/audit/',
  '/api/reports/',
]

type Hour = { pages: number[]; plain: number[]; failures: number; news: number; held: number; taken: number }
type Soaked = { product: Product; base: RunningBase; db: DatabaseSync }

/** Hours of news, pages, uploads and decisions one after the other, as fast as the machine can: the last quarter beside the first. */
export async function measureSoak(product: Product, base: RunningBase, inspectorPort: number): Promise<Figure[]> {
  const db = new DatabaseSync(base.file, { readOnly: true, timeout: 10_000 })
  const inspector = await openInspector(inspectorPort)
  for (let index = 0; index < fairOrgs; index++)
    await sendBom(product.url, 'shop', (await signIn(product.url, index)).authorization, [component])
  const all: Hour[] = []
  // The first one warms up.
  for (let hour = 0; hour <= hours; hour++) {
    const news = await bringNews({ product, base, db }, hour)
    const read = await openPages(product.url, hour)
    await product.tick()
    const one = { news, ...read, ...(await lookAtHeap(inspector)) }
    all.push(one)
    const [page, MB] = [quantile(one.pages, 0.5), one.held / 1e6]
    console.log(`    hour ${hour}: page ${page.toFixed(0)} ms, news ${news.toFixed(0)} ms, ${MB.toFixed(1)} MB held`)
  }
  const untold = await countUntold(db)
  inspector.close()
  db.close()
  const [first, last] = [all.slice(1, 1 + hours / 4), all.slice(-hours / 4)]
  const compare = (what: string, unit: string, measure: (of: Hour[]) => number): Figure => {
    const [before, after] = [measure(first), measure(last)]
    const figure = `${before.toFixed(1)} ${unit}, ${after.toFixed(1)} ${unit} = ${(after / before).toFixed(2)} times`
    return { what, figure, bound: '1.2 times' }
  }
  const waits = (part: 'pages' | 'plain', share: number) => (of: Hour[]) =>
    quantile(
      of.flatMap((one) => one[part]),
      share,
    )
  const most = (part: 'held' | 'taken') => (of: Hour[]) => Math.max(...of.map((one) => one[part])) / 1e6
  return [
    { what: 'hours', figure: `${hours}; ${hours * changesEach} changes, ${hours * readersEach * pages.length} pages` },
    compare('pages, p50', 'ms', waits('pages', 0.5)),
    compare('pages, p95', 'ms', waits('pages', 0.95)),
    { ...compare('a route that asks nothing, p50', 'ms', waits('plain', 0.5)), bound: '' },
    compare('news, p50', 'ms', (of) =>
      quantile(
        of.map(({ news }) => news),
        0.5,
      ),
    ),
    compare('heap that is reachable', 'MB', most('held')),
    compare('heap of the isolate', 'MB', most('taken')),
    { what: 'answers of 5xx', figure: String(all.reduce((sum, one) => sum + one.failures, 0)), bound: '0' },
    { what: 'news not told, of each organization', figure: `${untold} of ${hours * fairOrgs}`, bound: '0' },
  ]
}

const signIn = (url: string, index: number) => signInByApi(url, { ...admin, username: `fair${index}` })
const toCveid = (hour: number) => `CVE-2026-${400_000 + hour}`

/** Changes of records that are here, and a new one of what all run: milliseconds until it is written. */
async function bringNews({ product, base, db }: Soaked, hour: number) {
  const now = new Date().toISOString().slice(0, 19)
  const configurations = affecting(aMatch(watched.vendor, watched.product, { versionEndExcluding: '2.0' }))
  base.arrive([
    ...Array.from({ length: changesEach - 1 }, (_, at) => 1 + hour * changesEach + at).map((place) =>
      aCve(`CVE-${2001 + (place % 20)}-${100_000 + place}`, { lastModified: now }),
    ),
    aCve(toCveid(hour), { published: now, lastModified: now, configurations }),
  ])
  forgetOldNews(base)
  const client = await signInByApi(product.url)
  const began = performance.now()
  const find = db.prepare('SELECT 1 FROM vulns WHERE cveid = ?')
  for (let turn = 0; find.get(toCveid(hour)) === undefined; turn++) {
    if (turn % 500 === 0) await client.post('/api/data/sync/run?feed=nvd')
    await sleep(10)
  }
  return performance.now() - began
}

// Hours pass here in seconds: else each run would be sent the news of all hours before it, too.
function forgetOldNews({ feeds }: RunningBase) {
  const folder = join(feeds, 'nvd/delta')
  const files = readdirSync(folder).toSorted((a, b) => parseInt(a) - parseInt(b))
  for (const file of files.slice(0, -hoursListed)) rmSync(join(folder, file))
}

/** Some organizations open all pages, take up their news and send their inventory again. */
async function openPages(url: string, hour: number) {
  const found = { pages: [] as number[], plain: [] as number[], failures: 0 }
  const open = async (path: string, init: RequestInit, times: number[]) => {
    const began = performance.now()
    const response = await fetch(url + path, init)
    await response.arrayBuffer()
    times.push(performance.now() - began)
    if (response.status >= 500) found.failures++
  }
  for (let reader = 0; reader < readersEach; reader++) {
    const { authorization, get, post } = await signIn(url, (hour * readersEach + reader) % fairOrgs)
    if (reader === 0) await sendBom(url, 'shop', authorization, [component])
    for (const path of pages) await open(path, { headers: { authorization } }, found.pages)
    await open('/healthz', {}, found.plain)
    const { results } = await get<{ results: { id: number }[] }>(pages[1] ?? '')
    for (const { id } of results.slice(0, 1)) await post(`/api/vulns/${id}/status/edit`, { status: 'in_progress' })
  }
  return found
}

/** Waits a minute for what is still being told. */
async function countUntold(db: DatabaseSync) {
  const count = db.prepare(
    `SELECT count(DISTINCT a.org_id || ' ' || v.id) AS told FROM alerts a JOIN vulns v ON v.id = a.vuln_id JOIN orgs o ON o.id = a.org_id
     WHERE v.cveid BETWEEN ? AND ? AND o.name LIKE 'fair%'`,
  )
  for (let waited = 0; ; waited++) {
    const { told } = count.get(toCveid(1), toCveid(hours)) as { told: number }
    if (told >= hours * fairOrgs || waited > 600) return hours * fairOrgs - told
    await sleep(100)
  }
}
