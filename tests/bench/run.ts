// `npm run bench [-- <feeds folder>]`: figures of one run, as ratios to what was measured beside them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { contentHashes, databaseFile } from '../support/database.ts'
import { signIn, startProduct, untilFeeds } from '../support/product.ts'
import type { Client, FeedState } from '../support/product.ts'
import { runCveList, writeDelta } from './delta.ts'
import { measureExport } from './export.ts'
import { grow } from './grow.ts'
import { idleReaders, measureLatency, measureReaders, measureSearch } from './latency.ts'
import { measureMemory } from './memory.ts'
import { rawLoad, rawUpsert } from './raw-load.ts'
import { measureSignIn } from './sign-in.ts'
import { measureToggle } from './toggle.ts'
import { warmCveList, warmMirror } from './warm-mirror.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const given = resolve(process.argv[2] ?? join(root, '../shared/feeds'))
if (!existsSync(join(given, 'nvd/2.0'))) {
  console.error(`No feeds at ${given}: name a mirror folder (npm run bench -- <folder>)`)
  process.exit(1)
}

const grownTo = 400_000
const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
const [feeds, state] = [join(work, 'feeds'), join(work, 'state')]
// One reader asks as fast as it can: the throttle counts, at a thousand times the usual rate.
const env = { METER: '1', RATE_SCALE: '1000' }
const print = (name: string, figure: string) => console.log(`${name.padEnd(52)} ${figure}`)

try {
  linkFeeds()
  const { port, loaded } = await load()
  await settle(port, loaded)
  const { vulns, bytes } = grow(databaseFile(state), grownTo)
  print('(e) grown', `${vulns} vulnerabilities, ${size(bytes, vulns)}`)
  await measureGrown(port)
  await loadWithReaders()
} finally {
  rmSync(work, { recursive: true, force: true })
}

// Links to the given folders; that of the CVE list is one of our own, so that a delta can be dropped into it.
function linkFeeds() {
  mkdirSync(join(feeds, 'cve5'), { recursive: true })
  for (const inside of readdirSync(join(given, 'cve5')))
    symlinkSync(join(given, 'cve5', inside), join(feeds, 'cve5', inside))
  for (const { name } of readdirSync(given, { withFileTypes: true }).filter((one) => one.isDirectory()))
    if (name !== 'cve5') symlinkSync(join(given, name), join(feeds, name))
}

/** The first load of every feed. */
async function load() {
  await warmMirror(feeds, join(state, 'mirror'))
  const product = await startProduct({ feeds, state, env })
  const memory = measureMemory()
  const loaded = await untilFeeds(product.url, isLoaded, 3_000, 20)
  const peak = memory.stop()
  await product.kill()

  const { seconds, vulns, changed } = loadOf(databaseFile(state))
  for (const { id, state: end, records, skipped, last_error } of loaded.values())
    print(`    ${id}`, `${end}, ${records} records, ${skipped} skipped${last_error ? `, ${last_error}` : ''}`)
  print(`(a) load of every feed, ${vulns} vulnerabilities, ${changed} merges`, `${seconds.toFixed(1)} s`)
  const raw = rawLoad(databaseFile(state), join(root, 'migrations'), join(work, 'raw.sqlite'))
  print(`    raw load of its ${raw.rows} rows with indexes and FTS`, `${raw.seconds.toFixed(1)} s`)
  print('    ratio (at most 3)', (seconds / raw.seconds).toFixed(2))
  print('    database (at most 2.5 kB per vulnerability)', size(statSync(databaseFile(state)).size, vulns))
  print('    resident memory of the runtime at its peak', `${Math.round(peak / 1e6)} MB`)
  return { port: product.port, loaded }
}

/** The same load once more, into another database, while somebody reads; then reading alone. */
async function loadWithReaders() {
  const other = join(work, 'other')
  cpSync(join(state, 'mirror'), join(other, 'mirror'), { recursive: true })
  const product = await startProduct({ feeds, state: other, env })
  let isDone = false
  const readers = measureReaders(product.url, () => isDone)
  await untilFeeds(product.url, isLoaded, 3_000, 20)
  isDone = true
  const [busy, idle] = [await readers, await idleReaders(product.url)]
  await product.kill()
  print('(f) the first load once more, while somebody reads', `${loadOf(databaseFile(other)).seconds.toFixed(1)} s`)
  print(
    '    readers at the 95th percentile (at most 5 times)',
    `${busy.toFixed(1)} ms, idle ${idle.toFixed(1)} ms: ${(busy / idle).toFixed(2)}x`,
  )
  rmSync(other, { recursive: true })
}

/** What a second reading changes, what a re-merge changes, and a delta of 1,000 changed and 20,000 unchanged records. */
async function settle(port: number, loaded: Map<string, FeedState>) {
  const before = contentHashes(state)
  const product = await startProduct({ feeds, state, env, port })
  const client = await signIn(product.url)
  await runAll(product.url, client, [...loaded.keys()])
  const again = await untilFeeds(product.url, isLoaded)
  print(
    '(b) records that a second sync changed (exactly 0)',
    String([...again.values()].reduce((sum, one) => sum + one.changed, 0)),
  )
  await runAll(product.url, client, ['remerge'])
  const merged = (await untilFeeds(product.url, isLoaded)).get('remerge')
  print(`    of ${merged?.records} re-merged ones changed (exactly 0)`, String(merged?.changed))
  const after = contentHashes(state)
  const differing = Object.keys(before).filter((part) => before[part] !== after[part])
  print('    parts of the knowledge base that differ', differing.join(', ') || 'none')

  const { cveids, changed } = writeDelta(feeds)
  await warmCveList(feeds, join(state, 'mirror'))
  const delta = await runCveList(product.url, databaseFile(state))
  await product.kill()
  const raw = rawUpsert(databaseFile(state), cveids, changed)
  print(`(c) delta of ${delta.records} records, ${delta.changed} changed`, `${delta.seconds.toFixed(2)} s`)
  print(`    raw upsert of their ${raw.rows} rows`, `${raw.seconds.toFixed(2)} s`)
  print('    ratio (at most 3)', (delta.seconds / raw.seconds).toFixed(2))
}

async function measureGrown(port: number) {
  const product = await startProduct({ feeds, state, env, port })
  const client = await signIn(product.url)
  await untilFeeds(product.url, isLoaded, 600)
  for (const [name, figure] of await measureToggle(product.url)) print(`(d) ${name}`, figure)
  for (const [name, figure] of await measureLatency(product.url, client)) print(`(d) ${name}`, figure)
  for (const [name, figure] of await measureSearch(product.url, client)) print(`(d) ${name}`, figure)
  for (const [name, figure] of await measureExport(product.url, client)) print(`(d) ${name}`, figure)
  for (const [name, figure] of await measureSignIn(product.url, client)) print(name, figure)
  await product.kill()
}

async function runAll(url: string, client: Client, ids: string[]) {
  for (const id of ids) {
    const last = (await untilFeeds(url, () => true)).get(id)?.started_at
    await client.post(`/api/data/sync/run?feed=${id}`)
    await untilFeeds(
      url,
      (all) => {
        const feed = all.get(id)
        return feed !== undefined && feed.state !== 'running' && feed.started_at !== last
      },
      1_200,
    )
  }
}

// A feed that failed (its mirror was still composing a file) is tried again by the clock.
function isLoaded(all: Map<string, FeedState>) {
  return [...all.values()].every(({ state: now, last_success }) => now === 'idle' && last_success !== null)
}

// Runs note whole seconds: half a second is added, so that the figure is never too good.
function loadOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const run = db
    .prepare('SELECT min(started_at) AS first, max(finished_at) AS last, sum(changed) AS changed FROM feed_runs')
    .get()
  const vulns = db.prepare('SELECT count(*) AS count FROM vulns').get()
  db.close()
  const seconds = (Date.parse(String(run?.last)) - Date.parse(String(run?.first))) / 1000 + 0.5
  return { seconds, vulns: Number(vulns?.count), changed: Number(run?.changed) }
}

function size(bytes: number, vulns: number) {
  return `${(bytes / 1e6).toFixed(0)} MB, ${(bytes / vulns / 1000).toFixed(2)} kB per vulnerability`
}
