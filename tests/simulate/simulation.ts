import type { Advisory } from '../worker/support/osv-bucket.ts'
import { actions, expectGone } from './actions.ts'
import { createOrganizations, openCopy } from './database.ts'
import { installGlobals } from './globals.ts'
import { checkSettled, Watch } from './invariants.ts'
import { aBom, Knowledge, watchedProducts } from './knowledge.ts'
import type { PublisherRecord } from './knowledge.ts'
import { Organization } from './organizations.ts'
import { expectSoon, probe } from './probe.ts'
import { tellSameStory } from './same-story.ts'
import { SeededChance } from './scheduler.ts'
import { wholeStory } from './story.ts'
import type { Ending, Story } from './story.ts'
import { SimulatedWorld } from './world.ts'

/** What every story begins with: a database, and what the publishers say by then. */
export type Base = {
  database: Uint8Array
  now_ms: number
  records: [string, PublisherRecord][]
  advisories: [string, Advisory][]
}

const hour_ms = 3_600_000

/** The first load of the feeds, and what each organization sets up: the same for all stories. */
export async function prepare(migrations: string): Promise<Base> {
  const simulation = await openEmpty(migrations)
  const { world, knowledge } = simulation
  await world.drive(simulation.begin())
  if (world.problems.length) throw new Error(world.problems.join('\n'))
  const [records, advisories] = [[...knowledge.records], [...world.network.advisories]]
  return { database: world.file.serialize(), now_ms: world.now_ms, records, advisories }
}

/** What `same-story.ts` tells, in this process. */
export async function simulateSame(migrations: string): Promise<string> {
  const { world } = await openEmpty(migrations)
  return world.drive(tellSameStory(world))
}

/** Ends at the first problem; what failed is told, never thrown. */
export async function simulate(story: Story, base: Base): Promise<Ending> {
  const simulation = await open(story, base)
  const { world } = simulation
  await world
    .drive(simulation.run())
    .catch((error: unknown) => world.problems.push(error instanceof Error ? String(error.stack) : String(error)))
  return { problems: world.problems, steps: world.steps, events: simulation.events, lines: world.lines }
}

function openEmpty(migrations: string) {
  const now_ms = Date.parse('2027-01-04T00:00:00Z')
  const base = { database: createOrganizations(migrations), now_ms, records: [], advisories: [] }
  return open({ ...wholeStory(0, 0), faults: [] }, base)
}

async function open(story: Story, { database, now_ms, records, advisories }: Base) {
  const world = new SimulatedWorld({ ...story, now_ms, file: openCopy(database) })
  installGlobals(world)
  await world.open()
  for (const [id, advisory] of advisories) world.network.advisories.set(id, advisory)
  return new Simulation(world, story, new Knowledge(world, records))
}

/** An inventory of all products but the one that everybody monitors. */
const runsMost = new SeededChance(471)

/** Days begin at other times, and some have 23 or 25 hours. */
const reportTimes: Record<string, object> = {
  alder: { reports_time_zone: 'Europe/Berlin', reports_hour: 8 },
  birch: { reports_time_zone: 'America/New_York', reports_hour: 2 },
}
const reports = { enable_daily_email_report: true, enable_quiet_email_report: true }

export class Simulation {
  events = 0
  readonly world: SimulatedWorld
  readonly knowledge: Knowledge
  readonly organizations: Organization[]
  private readonly story: Story
  private readonly founded = new Set<string>()
  private readonly watch: Watch

  constructor(world: SimulatedWorld, story: Story, knowledge: Knowledge) {
    this.world = world
    this.story = story
    this.knowledge = knowledge
    this.organizations = story.organizations.map((name) => new Organization(world, name))
    this.watch = new Watch(world)
  }

  async begin() {
    for (const product of watchedProducts) this.knowledge.publish(product)
    this.knowledge.advise(new SeededChance(1))
    await this.settle()
    // It comes back in one of the stories, or stays away.
    this.knowledge.edit(this.knowledge.publish('agent'), { isRejected: true })
    for (const org of this.organizations) {
      await org.takesAlerts()
      await org.monitors('widget')
      if (org.name === 'cedar') await org.put('/api/inventories/desk', aBom(runsMost, org.secret))
      if (org.name === 'birch') await org.monitorsPackage()
    }
    await this.settle()
  }

  async run() {
    const { world, story } = this
    // Some day of the year: months end, and clocks are set forward and back.
    world.now_ms += world.int(0, 300) * 24 * hour_ms
    for (const org of this.organizations)
      await org.post('/users/org/update', { org_id: org.id, ...reports, ...reportTimes[org.name] })
    const parts = [() => this.chaos(), () => this.settle(), () => probe(this)]
    while (world.steps < story.steps && !world.problems.length)
      for (const tell of parts) if (!world.problems.length) await tell()
    if (!world.problems.length) await expectSoon(this)
  }

  /** People, publishers and the clock, all at once, with faults. */
  private async chaos() {
    const { world } = this
    world.isFaulty = true
    await world.recycle()
    const span_ms = world.pick([60_000, 10 * 60_000, 2 * hour_ms, 12 * hour_ms])
    const jobs = Array.from({ length: world.int(8, 40) }, () => this.event(world.int(0, span_ms)))
    const ticks = Array.from({ length: world.int(2, 6) }, async () => {
      await world.later(world.int(0, span_ms))
      await world.tick()
    })
    await Promise.all([...jobs, ...ticks, this.standStill(span_ms)])
  }

  /** The whole platform for hours now and then: calls go on in the middle, and every clock has jumped. */
  private async standStill(span_ms: number) {
    const { world } = this
    await world.later(world.int(0, span_ms))
    if (world.happens('all-stand-still')) world.now_ms += world.int(1, 600) * 60_000
  }

  private async event(after_ms: number) {
    const { world, story, organizations, founded } = this
    const number = ++this.events
    const chance = new SeededChance(story.seed * 10_000 + number)
    const isPublisher = chance.random() < 0.35
    const [name, act] = chance.pick(Object.entries(actions))
    await world.later(after_ms)
    if ((story.events && !story.events.includes(number)) || world.problems.length) return
    const org = chance.pick(organizations)
    const what = isPublisher ? `the publisher changes ${this.knowledge.change(chance)}` : `${org.name} ${name}`
    world.note(`event ${number}: ${what}`)
    if (!isPublisher) await act({ world, organizations, chance, founded }, org)
    this.watch.look()
  }

  /** No more faults: all that was begun ends, by the clock alone. */
  async settle() {
    const { world } = this
    world.isFaulty = false
    for (const pause of [3, 3, 3, 120, 120]) await world.tickAfter(pause * 60_000)
    // Trials end, and who left is removed.
    const isAnyLeaving = world.rows('SELECT 1 FROM orgs WHERE removal_at IS NOT NULL').length > 0
    if (this.founded.size && (world.random() < 0.3 || isAnyLeaving))
      for (const days of [5, 5, 5]) await this.nightAfter(days)
    // Longer than the last try of a message or mail, also by a clock that jumped: what still waits then waits for ever.
    await this.nightAfter(0)
    for (let day = 0; day < 5 && world.rows(anyMessage).length; day++) await this.nightAfter(1)
    await this.partWithRemoved()
    for (const org of this.organizations) if (org.people.length) await this.compareTwins(org)
    // All records are merged anew; and a twin is a first document, of which a mail tells.
    world.rows("UPDATE feeds SET next_run_at = '2026' WHERE id = 'remerge'")
    await world.tickAfter(0)
    this.watch.look()
    checkSettled(world, this.knowledge)
  }

  private async nightAfter(days: number) {
    await this.world.tickAfter(days * 24 * hour_ms)
    await this.world.tickAfter(0, '17 3 * * *')
  }

  /** Of an organization that is removed nothing opens anything any more. */
  private async partWithRemoved() {
    for (const org of this.organizations.filter(({ id }) => id === 0)) {
      this.organizations.splice(this.organizations.indexOf(org), 1)
      this.world.note(`${org.name} is no more`)
      for (const one of org.people) await expectGone(this.world, org, one)
      for (const token of org.tokens) {
        const seen = await org.send('GET', '/api/inventories/', undefined, { authorization: `Token ${token}` })
        if (seen && seen.status < 400)
          this.world.problems.push(`A token of ${org.name}, which was removed, still reads`)
      }
    }
  }

  /** The stored findings of an inventory are those of the same document if it were sent today. */
  private async compareTwins(org: Organization) {
    for (const [name, document] of org.documents) {
      const sent = await org.put('/api/inventories/twin', document)
      // Whose trial is over sends nothing.
      if (sent?.status === 403) continue
      const [stored, fresh] = [await listFindings(org, name), await listFindings(org, 'twin')]
      if (stored !== fresh)
        this.world.problems.push(`Inventory ${name} of ${org.name} has ${stored}, judged anew ${fresh}`)
      await org.delete('/api/inventories/twin')
    }
  }
}

const anyMessage = ['deliveries', 'mails']
  .map((table) => `SELECT 1 FROM ${table} WHERE status IN ('pending', 'sending')`)
  .join(' UNION ALL ')

type Finding = { cveid: string | null; component: { name: string; version: string | null }; status: string }

async function listFindings(org: Organization, name: string) {
  const findings = await org.list<Finding>(`/api/inventories/${name}/findings?limit=100`)
  const lines = findings.map(({ cveid, component, status }) => JSON.stringify([cveid, component, status]))
  return lines.toSorted().join('; ')
}
