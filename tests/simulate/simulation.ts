import { actions, expectGone } from './actions.ts'
import { createOrganizations } from './database.ts'
import { checkSettled } from './invariants.ts'
import { aBom, watchedProducts } from './knowledge.ts'
import { Organization } from './organizations.ts'
import { expectSoon, probe } from './probe.ts'
import { tellSameStory } from './same-story.ts'
import { SeededChance } from '../support/seeded-chance.ts'
import { wholeStory } from './story.ts'
import type { Ending, Story } from './story.ts'
import { SimulatedWorld } from './world.ts'
import type { Base } from './world.ts'

const hour_ms = 3_600_000

/** The first load of the feeds, and what each organization sets up: the same for all stories. */
export async function prepare(migrations: string): Promise<Base> {
  const world = await openEmpty(migrations)
  await world.drive(begin(world))
  if (world.problems.length) throw new Error(world.problems.join('\n'))
  const [records, advisories] = [[...world.knowledge.records], [...world.knowledge.advisories]]
  return { database: world.file.serialize(), now_ms: world.now_ms, records, advisories }
}

/** What `same-story.ts` tells, in this process. */
export async function simulateSame(migrations: string): Promise<string> {
  const world = await openEmpty(migrations)
  return world.drive(tellSameStory(world))
}

function openEmpty(migrations: string) {
  const now_ms = Date.parse('2027-01-04T00:00:00Z')
  const base = { database: createOrganizations(migrations), now_ms, records: [], advisories: [] }
  return new SimulatedWorld({ ...wholeStory(0, 0), faults: [] }, base).open()
}

/** Ends at the first problem; what failed is told, never thrown. */
export async function simulate(story: Story, base: Base): Promise<Ending> {
  const world = await new SimulatedWorld(story, base).open()
  const { problems, lines } = world
  await world
    .drive(run(world))
    .catch((error: unknown) => problems.push(error instanceof Error ? String(error.stack) : String(error)))
  return { problems, steps: world.steps, events: world.events, lines }
}

/** An inventory of all products but the one that everybody monitors. */
const runsMost = new SeededChance(471)

async function begin(world: SimulatedWorld) {
  const { knowledge, story } = world
  for (const product of watchedProducts) knowledge.publish(product)
  knowledge.advise(new SeededChance(1))
  await settle(world)
  // It comes back in one of the stories, or stays away.
  knowledge.edit(knowledge.publish('agent'), { isRejected: true })
  for (const name of story.organizations) {
    const org = new Organization(world, name)
    await org.takesAlerts()
    await org.monitors('widget')
    if (name === 'cedar') await org.put('/api/inventories/desk', aBom(runsMost, org.secret))
    if (name === 'birch') await org.monitorsPackage()
  }
  await settle(world)
}

/** Days begin at other times, and some have 23 or 25 hours. */
const reportTimes: Record<string, object> = {
  alder: { reports_time_zone: 'Europe/Berlin', reports_hour: 8 },
  birch: { reports_time_zone: 'America/New_York', reports_hour: 2 },
}
const reports = { enable_daily_email_report: true, enable_quiet_email_report: true }

async function run(world: SimulatedWorld) {
  const { problems, story } = world
  // Some day of the year: months end, and clocks are set forward and back.
  world.now_ms += world.int(0, 300) * 24 * hour_ms
  for (const name of story.organizations) {
    const org = new Organization(world, name)
    await org.post('/users/org/update', { org_id: org.id, ...reports, ...reportTimes[name] })
  }
  await actions['founds an organization']?.({ world, chance: world }, world.organizations[0] as Organization)
  while (world.steps < story.steps && !problems.length)
    for (const tell of [chaos, settle, () => probe(world, settle)]) if (!problems.length) await tell(world)
  if (!problems.length) await expectSoon(world)
}

/** People, publishers and the clock, all at once, with faults. */
async function chaos(world: SimulatedWorld) {
  world.isFaulty = true
  await world.recycle()
  const span_ms = world.pick([60_000, 10 * 60_000, 2 * hour_ms, 12 * hour_ms])
  const jobs = Array.from({ length: world.int(8, 40) }, () => happen(world, world.int(0, span_ms)))
  const ticks = Array.from({ length: world.int(2, 6) }, async () => {
    await world.later(world.int(0, span_ms))
    await world.tick()
  })
  await Promise.all([...jobs, ...ticks, standStill(world, span_ms)])
}

/** The whole platform for hours now and then: calls go on in the middle, and every clock has jumped. */
async function standStill(world: SimulatedWorld, span_ms: number) {
  await world.later(world.int(0, span_ms))
  if (world.happens('all-stand-still')) world.now_ms += world.int(1, 600) * 60_000
}

async function happen(world: SimulatedWorld, after_ms: number) {
  const { story, problems, organizations, knowledge } = world
  const number = ++world.events
  const chance = new SeededChance(story.seed * 10_000 + number)
  const isPublisher = chance.is(0.35)
  const [name, act] = chance.pick(Object.entries(actions))
  await world.later(after_ms)
  if (story.events?.includes(number) === false || problems.length) return
  const org = chance.pick(organizations)
  const what = isPublisher ? `the publisher changes ${knowledge.change(chance)}` : `${org.name} ${name}`
  world.note(`event ${number}: ${what}`)
  if (!isPublisher) await act({ world, chance }, org)
  world.look()
}

/** No more faults: all that was begun ends, by the clock alone. */
async function settle(world: SimulatedWorld) {
  world.isFaulty = false
  for (const pause of [3, 3, 3, 120, 120]) await world.tickAfter(pause * 60_000)
  // Trials end, and who left is removed.
  const isAnyLeaving = world.rows('SELECT 1 FROM orgs WHERE removal_at IS NOT NULL').length > 0
  if (world.founded && (world.is(0.3) || isAnyLeaving)) for (const days of [5, 5, 5]) await nightAfter(world, days)
  // Each day is proved in the night after it. Longer than the last try of a message or mail, also by a clock that jumped: what still waits then waits for ever.
  for (let day = 0; day < 1 || (day < 6 && world.rows(anyMessage).length); day++) await nightAfter(world, 1)
  for (const org of world.organizations.filter(({ id }) => id === 0)) await partWith(world, org)
  for (const org of world.organizations) if (org.people.length) await compareTwins(world, org)
  // All records are merged anew; and a twin is a first document, of which a mail tells.
  world.rows("UPDATE feeds SET next_run_at = '2026' WHERE id = 'remerge'")
  await world.tickAfter(0)
  world.look()
  checkSettled(world)
}

async function nightAfter(world: SimulatedWorld, days: number) {
  await world.tickAfter(days * 24 * hour_ms)
  await world.tickAfter(0, '17 3 * * *')
}

const anyMessage = ['deliveries', 'mails']
  .map((table) => `SELECT 1 FROM ${table} WHERE status IN ('pending', 'sending')`)
  .join(' UNION ALL ')

/** Of an organization that is removed nothing opens anything any more. */
async function partWith(world: SimulatedWorld, org: Organization) {
  world.organizations.splice(world.organizations.indexOf(org), 1)
  world.note(`${org.name} is no more`)
  for (const one of org.people) await expectGone(world, org, one)
  for (const token of org.tokens) {
    const seen = await org.send('GET', '/api/inventories/', undefined, { authorization: `Token ${token}` })
    if (seen && seen.status < 400) world.problems.push(`A token of ${org.name}, which was removed, still reads`)
  }
}

/** The stored findings of an inventory are those of the same document if it were sent today. */
async function compareTwins(world: SimulatedWorld, org: Organization) {
  for (const [name, document] of org.documents) {
    const sent = await org.put('/api/inventories/twin', document)
    // Whose trial is over sends nothing.
    if (sent?.status === 403) continue
    const [stored, fresh] = [await listFindings(org, name), await listFindings(org, 'twin')]
    if (stored !== fresh) world.problems.push(`Inventory ${name} of ${org.name} has ${stored}, judged anew ${fresh}`)
    await org.delete('/api/inventories/twin')
  }
}

type Finding = { cveid: string | null; component: { name: string; version: string | null }; status: string }

async function listFindings(org: Organization, name: string) {
  const findings = await org.list<Finding>(`/api/inventories/${name}/findings?limit=100`)
  const lines = findings.map(({ cveid, component, status }) => JSON.stringify([cveid, component, status]))
  return lines.toSorted().join('; ')
}
