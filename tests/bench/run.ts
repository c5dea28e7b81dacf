// `npm run bench [-- <feeds folder>]`: figures of one run, as ratios to what was measured beside them.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { contentHashes, databaseFile } from '../support/database.ts'
import { freePort, signIn, startProduct, untilFeeds } from '../support/product.ts'
import { measureLatency } from './latency.ts'
import { measureMemory } from './memory.ts'
import { rawLoad } from './raw-load.ts'
import { measureSignIn } from './sign-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const feeds = resolve(process.argv[2] ?? join(root, '../shared/feeds'))
if (!existsSync(join(feeds, 'nvd/2.0'))) {
  console.error(`No feeds at ${feeds}: name a mirror folder (npm run bench -- <folder>)`)
  process.exit(1)
}

const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
const onlyNvd = join(work, 'feeds')
mkdirSync(onlyNvd)
symlinkSync(join(feeds, 'nvd'), join(onlyNvd, 'nvd'))
const state = join(work, 'state')
const env = { METER: '1' }
// A run notes whole seconds: half a second is added, so that the figure is never too good.
function runSeconds(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare("SELECT started_at, finished_at FROM feed_runs WHERE feed_id = 'nvd' AND changed > 0").get()
  db.close()
  return (Date.parse(String(row?.finished_at)) - Date.parse(String(row?.started_at))) / 1000 + 0.5
}
const print = (name: string, figure: string) => console.log(`${name.padEnd(52)} ${figure}`)

try {
  const memory = measureMemory()
  const first = await startProduct({ feeds: onlyNvd, state, env })
  const loaded = await untilFeeds(first.url, (all) => all.get('nvd')?.state !== 'running', 1200)
  const peak = memory.stop()
  const nvd = loaded.get('nvd')
  if (nvd?.state !== 'idle') throw new Error(`The load failed: ${nvd?.last_error}`)
  await first.kill()
  const loadSeconds = runSeconds(databaseFile(state))

  const raw = rawLoad(databaseFile(state), join(root, 'migrations'), join(work, 'raw.sqlite'))
  print(`(a) load of ${nvd.changed} NVD records by the feed`, `${loadSeconds.toFixed(1)} s`)
  print(`    raw load of its ${raw.rows} rows with indexes and FTS`, `${raw.seconds.toFixed(1)} s`)
  print('    ratio (at most 3)', (loadSeconds / raw.seconds).toFixed(2))
  print('    resident memory of the runtime at its peak', `${Math.round(peak / 1e6)} MB`)
  print(
    '    database',
    `${(raw.bytes / 1e6).toFixed(0)} MB, ${(raw.bytes / nvd.changed / 1000).toFixed(2)} kB per vulnerability`,
  )

  const before = contentHashes(state)
  // Another port is another origin to the feed: it reads everything again.
  const second = await startProduct({ feeds: onlyNvd, state, env, port: await freePort() })
  await (await signIn(second.url)).post('/api/data/sync/run?feed=nvd')
  const again = await untilFeeds(
    second.url,
    (all) => all.get('nvd')?.state === 'idle' && all.get('nvd')?.last_success !== nvd.last_success,
    1200,
  )
  const after = contentHashes(state)
  const changedParts = Object.keys(before).filter((part) => before[part] !== after[part])
  print('(b) rows that a second sync changed (exactly 0)', String(again.get('nvd')?.changed))
  print('    parts of the knowledge base that differ', changedParts.length ? changedParts.join(', ') : 'none')

  const client = await signIn(second.url)
  for (const line of await measureLatency(second.url, client)) print(...line)
  for (const line of await measureSignIn(second.url, client)) print(...line)
  await second.kill()
} finally {
  rmSync(work, { recursive: true, force: true })
}
