// Tells one week: `<file of the changes>`; prints what came of it.
import { readFileSync } from 'node:fs'
import { createOrganizations } from '../simulate/database.ts'
import { Organization } from '../simulate/organizations.ts'
import { wholeStory } from '../simulate/story.ts'
import { SimulatedWorld } from '../simulate/world.ts'
import { anAdvisory, anAffected } from '../support/osv.ts'
import { aCve, aKevEntry, toMetrics } from '../support/records.ts'
import { answerBucket } from '../worker/support/osv-bucket.ts'
import { versioned } from '../worker/support/versioned.ts'
import type { WeekChange, WeekTold } from './week.ts'

const minute_ms = 60_000
const [, , path = ''] = process.argv
const { begin_ms, end_ms, changes } = JSON.parse(readFileSync(path, 'utf8')) as {
  begin_ms: number
  end_ms: number
  changes: WeekChange[]
}
const tell = console.log
console.error = console.warn = console.log = () => undefined

const settings = { MALICIOUS_URL: 'https://osv.test', MALICIOUS_ECOSYSTEMS: 'npm' }
const base = {
  database: createOrganizations(),
  now_ms: begin_ms - 60 * minute_ms,
}
const world = new SimulatedWorld(wholeStory(1, 0), base, settings)
const { network } = world
const { origins } = network
const told: WeekTold = { named: {}, minutes: {}, written: 0, problems: world.problems }

const sendMail = network.sendMail
network.sendMail = async (mail) => {
  await sendMail(mail)
  const text = `${mail.subject}\n${mail.text}`
  for (const [id] of text.matchAll(/\b(?:CVE-\d{4}-\d{4,}|(?:PYSEC|GHSA|MAL)-[\w-]+)/g))
    told.named[text.includes('no longer called malicious') ? `${id} withdrawn` : id] ??= world.now_ms
}
const publish = network.fetch
network.fetch = async (request) => {
  const url = new URL(request.url)
  if (url.host === 'receiver.test') return publish(request)
  const minutes = (told.minutes[url.host] ??= {})
  const minute = Math.floor(world.now_ms / minute_ms)
  minutes[minute] = (minutes[minute] ?? 0) + 1
  return publish(request)
}

/** When each record of OSV's bucket was last modified, and which are withdrawn. */
const shown = { osv: new Map<string, string>(), withdrawn: new Set<string>() }
const toCve = (id: string, lastModified: string, score: 5.3 | 9.8) =>
  aCve(id, {
    published: '2023-01-02T00:00:00.000',
    lastModified,
    metrics: toMetrics(score),
  })

/** OSV's bucket, with an ETag a list and nothing in its archives. */
origins.instead = (url, request) => {
  if (url.host !== 'osv.test') return null
  const records = url.pathname.endsWith('/all.zip') ? [] : [...shown.osv].map(([id, modified]) => advise(id, modified))
  return versioned(request, answerBucket(new Map([['npm', records]]), url))
}

const advise = (id: string, modified: string) =>
  anAdvisory(id, {
    modified,
    aliases: [],
    ...(shown.withdrawn.has(id) && { withdrawn: modified }),
    affected: [{ ...anAffected('widget'), ...(id.startsWith('MAL-') && { ranges: [], versions: ['1.0.0'] }) }],
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

async function tellWeek() {
  const known = changes
    .filter(({ feed }) => feed === 'nvd' || feed === 'kev')
    .map(({ id }) => toCve(id, '2023-01-02T00:00:00.000', 5.3))
  origins.files.set(2023, [toCve('CVE-2023-99999', '2023-01-02T00:00:00.000', 5.3), ...known])
  origins.epss = { date: '2023-11-29', rows: [['CVE-2023-99999', 0.1, 0.5]] }
  for (let times = 0; times < 10; times++) {
    await world.tickAfter(0)
    await world.later(5 * minute_ms)
  }
  const org = new Organization(world, 'alder')
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
  await world.tickAfter(0)
  await world.later(begin_ms - world.now_ms)
  told.minutes = {}
  told.named = {}
  const before = countWritten()
  for (const change of changes) world.at(Date.parse(change.at), () => happen(change))
  while (world.now_ms < end_ms + 15 * minute_ms) {
    void world.tick()
    if (new Date(world.now_ms).toISOString().slice(11, 16) === '03:17') void world.tick('17 3 * * *')
    await world.later(minute_ms - (world.now_ms % minute_ms))
  }
  while (world.isBusy()) await world.later(1_000)
  told.written = countWritten() - before
}

const countWritten = () => world.rows<{ count: number }>('SELECT total_changes() AS count')[0]?.count ?? 0

await world.drive(tellWeek())
tell(JSON.stringify(told))
process.exit(0)
