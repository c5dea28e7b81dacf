// Tells one week: `<file of the changes> <migrations>`.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import worker from 'told:worker'
import { createOrganizations, openCopy } from '../simulate/base.ts'
import { installGlobals } from '../simulate/globals.ts'
import { listPeople, Organization } from '../simulate/organizations.ts'
import { Scheduler } from '../simulate/scheduler.ts'
import { SimulatedWorld } from '../simulate/world.ts'
import { anAdvisory } from '../support/osv.ts'
import { aCve, aKevEntry, aMetric } from '../support/records.ts'
import { serveFile } from '../worker/support/zip-server.ts'
import { toZip } from '../../scripts/mirror/zip-writer.ts'
import type { WeekChange, WeekTold } from './week.ts'

const minute_ms = 60_000
const [path = '', migrations = ''] = process.argv.slice(2)
const { begin_ms, end_ms, changes } = JSON.parse(readFileSync(path, 'utf8')) as {
  begin_ms: number
  end_ms: number
  changes: WeekChange[]
}
console.error = console.warn = console.log = () => undefined

const scheduler = new Scheduler(1, begin_ms - 60 * minute_ms)
installGlobals(scheduler)
const file = openCopy(createOrganizations(migrations).database)
const settings = { MALICIOUS_URL: 'https://osv.test', MALICIOUS_ECOSYSTEMS: 'npm' }
const isolate: ConstructorParameters<typeof SimulatedWorld>[0]['workers'][number] = {
  fetch: (request, env, context) => worker.fetch(request, { ...env, ...settings }, context),
  scheduled: (controller, env) => worker.scheduled(controller, { ...env, ...settings }),
  queue: (batch, env) => worker.queue(batch, { ...env, ...settings }),
}
const world = new SimulatedWorld({
  scheduler,
  file,
  workers: [isolate],
  openIsolate: () => Promise.resolve(isolate),
  faults: new Set(),
})
const { network } = world
const { origins } = network
const told: WeekTold = { named: {}, minutes: {}, written: 0, problems: world.problems }

const sendMail = network.sendMail.bind(network)
network.sendMail = async (mail) => {
  await sendMail(mail)
  const text = `${mail.subject}\n${mail.text}`
  for (const [id] of text.matchAll(/\b(?:CVE-\d{4}-\d{4,}|(?:PYSEC|GHSA|MAL)-[\w-]+)/g))
    told.named[text.includes('no longer called malicious') ? `${id} withdrawn` : id] ??= scheduler.now_ms
}
const publish = network.fetch.bind(network)
network.fetch = async (request) => {
  const url = new URL(request.url)
  if (url.host === 'receiver.test') return publish(request)
  const minutes = (told.minutes[url.host] ??= {})
  const minute = Math.floor(scheduler.now_ms / minute_ms)
  minutes[minute] = (minutes[minute] ?? 0) + 1
  if (url.host !== 'osv.test') return publish(request)
  await scheduler.pause(scheduler.int(5, 300))
  return answerOsv(url.pathname, request.headers.get('if-none-match'))
}

/** When each record of OSV's bucket was last modified, and which are withdrawn. */
const shown = { osv: new Map<string, string>(), withdrawn: new Set<string>() }
const toCve = (id: string, lastModified: string, score: 5.3 | 9.8) =>
  aCve(id, {
    published: '2023-01-02T00:00:00.000',
    lastModified,
    metrics: { cvssMetricV31: [aMetric('3.1', score, vectors[score])] },
  })
const vectors = {
  5.3: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  9.8: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
}

/** The bucket of OSV, with an ETag a list. */
function answerOsv(asked: string, version: string | null) {
  const [, folder = '', name = ''] = asked.split('/')
  if (name === 'all.zip')
    return serveFile(toZip([{ name: 'README.txt', data: Buffer.from('OSV') }]), undefined, { hasRanges: false })
  const modified = shown.osv.get(name.replace(/\.json$/, ''))
  if (name !== 'modified_id.csv' && name)
    return modified ? Response.json(advise(name.replace(/\.json$/, ''), modified)) : new Response('', { status: 404 })
  const lines = [...shown.osv]
    .map(([id, at]) => `${at},${name ? '' : 'npm/'}${id}\n`)
    .toReversed()
    .join('')
  const etag = `"${createHash('sha256').update(lines).digest('hex')}"`
  if (version === etag || (!name && folder !== 'modified_id.csv'))
    return new Response(null, { status: version === etag ? 304 : 404 })
  return new Response(lines, { headers: { etag } })
}

const advise = (id: string, modified: string) =>
  anAdvisory(id, {
    modified,
    aliases: [],
    ...(shown.withdrawn.has(id) && { withdrawn: modified }),
    affected: [
      {
        package: { ecosystem: 'npm', name: 'widget' },
        ...(id.startsWith('MAL-')
          ? { versions: ['1.0.0'] }
          : { ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '9.0.0' }] }] }),
      },
    ],
  })

function happen({ feed, id, at }: WeekChange) {
  if (feed === 'nvd') origins.modified.push(toCve(id, at.slice(0, 23), 9.8))
  else if (feed === 'kev') origins.kev.push(aKevEntry(id, { dateAdded: at.slice(0, 10) }))
  else {
    const [record = '', withdrawn] = id.split(' ')
    // The list names the newest first.
    shown.osv.delete(record)
    shown.osv.set(record, at)
    if (withdrawn) shown.withdrawn.add(record)
  }
}

async function settle() {
  await world.tick()
  while (world.isBusy()) await world.later(1_000)
}

async function tellWeek() {
  const known = changes
    .filter(({ feed }) => feed === 'nvd' || feed === 'kev')
    .map(({ id }) => toCve(id, '2023-01-02T00:00:00.000', 5.3))
  origins.files.set(2023, [toCve('CVE-2023-99999', '2023-01-02T00:00:00.000', 5.3), ...known])
  origins.epss = { date: '2023-11-29', rows: [['CVE-2023-99999', 0.1, 0.5]] }
  for (let times = 0; times < 10; times++) {
    await settle()
    await world.later(5 * minute_ms)
  }
  const org = new Organization(world, { name: 'alder', people: listPeople('alder'), others: () => [] })
  const calls: [string, string, object][] = [
    ['PUT', '/api/monitor/product/toggle', { vendor_name: 'acme', product_name: 'widget', monitored: true }],
    ['PUT', '/api/alerts/channels/email/', { daily_max: 0 }],
    [
      'PUT',
      '/api/inventories/shop',
      {
        bomFormat: 'CycloneDX',
        specVersion: '1.6',
        components: [{ type: 'library', name: 'widget', purl: 'pkg:npm/widget@1.0.0' }],
      },
    ],
  ]
  for (const [method, called, body] of calls) {
    const answer = await org.call(method, called, body)
    if (answer?.status !== 200) world.problems.push(`${called} answered ${answer?.status} ${answer?.text}`)
  }
  await settle()
  await world.later(begin_ms - scheduler.now_ms)
  told.minutes = {}
  told.named = {}
  const before = countWritten()
  for (const change of changes) scheduler.at(Date.parse(change.at), () => happen(change))
  while (scheduler.now_ms < end_ms + 15 * minute_ms) {
    void world.tick()
    if (new Date(scheduler.now_ms).toISOString().slice(11, 16) === '03:17') void world.tick('17 3 * * *')
    await world.later(minute_ms - (scheduler.now_ms % minute_ms))
  }
  while (world.isBusy()) await world.later(1_000)
  told.written = countWritten() - before
}

const countWritten = () => world.rows<{ count: number }>('SELECT total_changes() AS count')[0]?.count ?? 0

await scheduler.drive(tellWeek())
writeFileSync(`${path}.told`, JSON.stringify(told))
process.exit(0)
