// `npm run bench [-- <feeds folder>] [--only load,writes,…]`: figures of one run, beside what was measured in the same run.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { databaseFile } from '../support/database.ts'
import { freePort, signInByApi, startProduct, untilFeeds } from '../support/product.ts'
import { measureAlerts } from './alerts.ts'
import { measureBrowser } from './browser.ts'
import { measureExport } from './export.ts'
import { measureFairness, plantFairness } from './fairness.ts'
import { noteFigures } from './figures.ts'
import type { Figure } from './figures.ts'
import { grow } from './grow.ts'
import { measureHeap } from './heap.ts'
import { measureLatency, measureSearch } from './latency.ts'
import type { MeasuredLine } from './latency.ts'
import { measureInventories } from './inventories.ts'
import { measureKernels, plantKernel } from './kernel.ts'
import { env, isLoaded, loadFeeds, measureDelta, measureReading, migrations } from './load.ts'
import { fillOrgs, measureImport, measureScreen } from './monitoring.ts'
import { createRunningBase } from './running-base.ts'
import { createPlace, removePlace, size } from './place.ts'
import { measureReports } from './reports.ts'
import { measureSignIn } from './sign-in.ts'
import { measureToggle } from './toggle.ts'
import { measureWrites } from './writes.ts'

const parts = [
  'load',
  'delta',
  'writes',
  'size',
  'latency',
  'search',
  'screens',
  'browser',
  'readers',
  'heap',
  'monitoring',
  'inventories',
  'fairness',
  'alerts',
  'reports',
] as const
type Part = (typeof parts)[number]
const grownTo = 400_000

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })
const root = fileURLToPath(new URL('../..', import.meta.url))
const given = resolve(positionals[0] ?? join(root, '../shared/feeds'))
if (!existsSync(join(given, 'nvd/2.0'))) {
  console.error(`No feeds at ${given}: name a mirror folder (npm run bench -- <folder>)`)
  process.exit(1)
}
const wanted = new Set<string>(values.only?.split(',') ?? parts)
const unknown = [...wanted].filter((name) => !parts.some((part) => part === name))
if (unknown.length) {
  console.error(`No such part: ${unknown.join(', ')}. There are ${parts.join(', ')}`)
  process.exit(1)
}
const isWanted = (...some: Part[]) => some.some((part) => wanted.has(part))

if (isWanted('alerts')) noteFigures('Alerts and reports', await measureAlerts())
if (isWanted('reports')) noteFigures('Alerts and reports', await measureReports())
if (isWanted('inventories', 'fairness', 'monitoring')) await measureRunning()
const ownBase = ['alerts', 'reports', 'inventories', 'fairness', 'monitoring']
if (!parts.some((part) => !ownBase.includes(part) && wanted.has(part))) process.exit(0)

const place = createPlace(given)
try {
  // All other parts need the loaded knowledge base.
  const { port, ids } = await loadFeeds(place)
  if (isWanted('delta')) await measureDelta(place, { port, ids })
  if (isWanted('writes')) noteFigures('Rows written', await measureWrites(place, port))
  if (isWanted('browser')) await measureInBrowser(port)
  if (isWanted('size', 'latency', 'search', 'screens')) {
    const { vulns, bytes } = grow(databaseFile(place.state), grownTo)
    noteFigures('Load', [{ what: `database at ${vulns}`, figure: size(bytes, vulns), bound: '2.2 kB' }])
  }
  if (isWanted('latency', 'search', 'screens')) await measureGrown(port)
  if (isWanted('readers')) await measureReading(place)
  if (isWanted('heap')) await measureHeap(place)
} finally {
  removePlace(place)
}

/** Runs before `grow` adds copies. */
async function measureInBrowser(port: number) {
  const product = await startProduct({ feeds: place.feeds, state: place.state, env, port })
  await untilFeeds(product.url, isLoaded, 600)
  noteFigures('In the browser', (await measureBrowser(product.url)).map(bounded))
  await product.kill()
}

async function measureGrown(port: number) {
  const product = await startProduct({ feeds: place.feeds, state: place.state, env, port })
  await untilFeeds(product.url, isLoaded, 600)
  const note = (part: string, lines: MeasuredLine[]) => noteFigures(part, lines.map(bounded))
  if (isWanted('screens')) note('Screens', await measureToggle(product.url))
  if (isWanted('latency')) note('Routes at 400,000 vulnerabilities', await measureLatency(product.url))
  if (isWanted('search')) note('Search', await measureSearch(product.url))
  if (isWanted('screens')) {
    const client = await signInByApi(product.url)
    note('Screens', await measureExport(product.url, client))
    note('Screens', await measureSignIn(product.url, client))
  }
  await product.kill()
}

/** Monitoring lists, inventories and many organizations, on a knowledge base of its own. */
async function measureRunning() {
  const base = await createRunningBase(env)
  const inspectorPort = await freePort()
  const start = (more: Record<string, string> = {}) =>
    startProduct({
      feeds: base.feeds,
      state: base.state,
      port: base.port,
      env: { ...env, INSPECTOR_PORT: String(inspectorPort), ...more },
    })
  const note = (lines: MeasuredLine[]) => noteFigures('What organizations run', lines.map(bounded))
  try {
    if (isWanted('monitoring')) note(fillOrgs(base.file))
    if (isWanted('fairness', 'inventories')) plantKernel(base)
    if (isWanted('fairness')) {
      plantFairness(base)
      // An attacker meets the limits that it would meet anywhere.
      const limited = await start({ RATE_SCALE: '1' })
      note(await measureFairness(limited, base, inspectorPort))
      await limited.kill()
    }
    if (!isWanted('inventories', 'monitoring')) return
    const product = await start()
    if (isWanted('inventories')) {
      note(await measureKernels(product, inspectorPort))
      note(await measureInventories(product, base, inspectorPort))
    }
    if (isWanted('monitoring')) {
      note(await measureImport(product.url, base.file, migrations, base.state))
      note(await measureScreen(product.url))
    }
    await product.kill()
  } finally {
    base.remove()
  }
}

// "sign-in over the bare hash (at most 60 ms)"
function bounded([name, figure]: MeasuredLine): Figure {
  const bound = / \(at most (.+)\)$/.exec(name)?.[1]
  return bound === undefined ? { what: name, figure } : { what: name.replace(/ \(at most .+\)$/, ''), figure, bound }
}
