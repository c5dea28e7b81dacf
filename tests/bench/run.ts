// `npm run bench [-- <feeds folder>] [--only load,writes,…]`: figures of one run, beside what was measured in the same run.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from '../../scripts/start/arguments.ts'
import { databaseFile } from '../support/database.ts'
import { freePort, startProduct, untilFeeds } from '../support/product.ts'
import { measureBrowser } from './browser.ts'
import { tellCost } from './cost.ts'
import { measureFairness, plantFairness } from './fairness.ts'
import { noteFigures, parts, type BenchPart, type Figure } from './figures.ts'
import { grow } from './grow.ts'
import { measureGuesses } from './guesses.ts'
import { limitMemory } from './inspector.ts'
import { measureInventories, measureKernels, plantKernel } from './inventories.ts'
import { measureLatency, measureSearch } from './latency.ts'
import { env, isLoaded, loadFeeds } from './load.ts'
import { createPlace, removePlace, size } from './place.ts'
import { createRunningBase } from './running-base.ts'
import { measureWeek } from './week.ts'
import { measureWorld } from './world.ts'
import { measureWrites } from './writes.ts'
import { profileStart, readStartCost } from '../support/start-cost.ts'

const grownTo = 400_000
/** Inventories have to do with less than the isolate of production: with what the V8 of a bound of 100 MB may take. */
const runningMB = 96
// All others need the loaded knowledge base.
const alone: BenchPart[] = ['start', 'week', 'world', 'cost', 'guesses', 'fairness', 'inventories']

const usage = `npm run bench [-- <feeds folder>] [--only ${Object.keys(parts).join()}]`
const { values, positionals } = readArguments(usage, { options: { only: { type: 'string' } }, allowPositionals: true })
const root = fileURLToPath(new URL('../..', import.meta.url))
const given = resolve(positionals[0] ?? join(root, '../shared/feeds'))
if (!existsSync(join(given, 'nvd/2.0'))) fail(`No feeds at ${given}: name a mirror folder (npm run bench -- <folder>)`)
const wanted = new Set<string>(values.only?.split(',') ?? Object.keys(parts))
for (const name of wanted)
  if (!(name in parts)) fail(`No such part: ${name}. There are ${Object.keys(parts).join(', ')}`)
const isWanted = (...some: BenchPart[]) => some.some((part) => wanted.has(part))

if (isWanted('start')) noteFigures('start', await measureStart())
if (isWanted('week')) noteFigures('week', await measureWeek(given))
if (isWanted('cost')) noteFigures('cost', tellCost())
if (isWanted('guesses')) noteFigures('guesses', await measureGuesses())
if (isWanted('world')) noteFigures('world', await measureWorld())
if (isWanted('fairness', 'inventories')) await measureRunning()
if ([...wanted].every((name) => alone.some((part) => part === name))) process.exit(0)

const place = createPlace(given)
try {
  const port = await loadFeeds(place)
  if (isWanted('writes')) noteFigures('writes', await measureWrites(place, port))
  // Before `grow` adds copies.
  if (isWanted('browser')) await withProduct(port, async (url) => noteFigures('browser', await measureBrowser(url)))
  if (isWanted('size', 'latency', 'search')) {
    const { vulns, bytes } = grow(databaseFile(place.state), grownTo)
    noteFigures('size', [{ what: `database at ${vulns}`, figure: size(bytes, vulns), bound: '2.2 kB' }])
  }
  if (isWanted('latency', 'search'))
    await withProduct(port, async (url) => {
      if (isWanted('latency')) noteFigures('latency', await measureLatency(url))
      if (isWanted('search')) noteFigures('search', await measureSearch(url))
    })
} finally {
  removePlace(place)
}

async function withProduct(port: number, measure: (url: string) => Promise<void>) {
  const product = await startProduct({ feeds: place.feeds, state: place.state, env, port })
  await untilFeeds(product.url, isLoaded, 600)
  await measure(product.url)
  await product.kill()
}

/** Inventories of organizations, on a knowledge base of its own. */
async function measureRunning() {
  const base = await createRunningBase(env)
  const inspector = await freePort()
  const start = (rate: string) =>
    startProduct({
      ...base,
      env: { ...env, ...limitMemory(runningMB), INSPECTOR_PORT: String(inspector), RATE_SCALE: rate },
    })
  try {
    plantKernel(base)
    if (isWanted('fairness')) {
      plantFairness(base)
      // An attacker meets the limits that it would meet anywhere.
      const product = await start('1')
      noteFigures('fairness', await measureFairness(product, base, inspector))
      await product.kill()
    }
    if (!isWanted('inventories')) return
    const product = await start(env.RATE_SCALE)
    const kernels = await measureKernels(product, inspector)
    noteFigures('inventories', [...kernels, ...(await measureInventories(product, base, inspector))])
    await product.kill()
  } finally {
    base.remove()
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

/** The cost of a new isolate before it answers. */
async function measureStart(): Promise<Figure[]> {
  const { script, modules, evaluated } = await readStartCost()
  return [
    { what: 'CPU of the start', figure: `${(await profileStart(3)).toFixed(0)} ms`, bound: '120 ms' },
    { what: 'script', figure: `${(script / 1e6).toFixed(2)} MB`, bound: '2 MB' },
    { what: 'evaluated at the start', figure: `${modules} modules, ${Math.round(evaluated / 1000)} kB` },
  ]
}
