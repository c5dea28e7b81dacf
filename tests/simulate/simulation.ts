import { actions } from './actions.ts'
import { createOrganizations, openCopy } from './base.ts'
import type { Base } from './base.ts'
import { installGlobals } from './globals.ts'
import { checkSettled, Watch } from './invariants.ts'
import { expectGone, joiningActions } from './joining.ts'
import { expectSoon, probe } from './probe.ts'
import { aBom, Knowledge, watchedProducts } from './knowledge.ts'
import { listPeople, Organization, organizationNames } from './organizations.ts'
import { tellSameStory } from './same-story.ts'
import { SeededChance, Scheduler } from './scheduler.ts'
import { faultRates } from './faults.ts'
import type { FaultName } from './faults.ts'
import { SimulatedWorld } from './world.ts'
import type { Handlers } from './world.ts'

/** Faults, organizations and events that are left out make a failing story shorter. */
export type Story = {
  seed: number
  steps: number
  faults: FaultName[]
  organizations: string[]
  /** Numbers of events that do not happen. */
  without: number[]
}
export type Ending = {
  problems: string[]
  steps: number
  events: number
  lines: { step: number; at: string; text: string }[]
}

export const wholeStory = (seed: number, steps: number): Story => ({
  seed,
  steps,
  faults: Object.keys(faultRates) as FaultName[],
  organizations: [...organizationNames],
  without: [],
})

const hour_ms = 3_600_000
const acts = Object.entries({ ...actions, ...joiningActions })
type OpenIsolate = () => Promise<Handlers>
/** So many at once. */
const isolates = 2

/** The first load of the feeds, and what each organization sets up: the same for all stories. */
export async function prepare(openIsolate: OpenIsolate, migrations: string): Promise<Base> {
  const { simulation, world, end } = await open(
    { ...wholeStory(0, 0), faults: [] },
    createOrganizations(migrations),
    openIsolate,
  )
  await world.scheduler.drive(simulation.begin())
  if (world.problems.length) throw new Error(world.problems.join('\n'))
  const base = {
    database: world.file.serialize(),
    now_ms: world.scheduler.now_ms,
    records: [...simulation.knowledge.records],
    advisories: [...world.network.advisories],
  }
  end()
  return base
}

/** What `same-story.ts` tells, in this process. */
export async function simulateSame(openIsolate: OpenIsolate, migrations: string): Promise<string> {
  const { simulation, world, end } = await open(
    { ...wholeStory(1, 0), faults: [] },
    createOrganizations(migrations),
    openIsolate,
  )
  const told = tellSameStory({ world, tickAfter: simulation.tickAfter, rows: world.rows })
  const found = await world.scheduler.drive(told)
  end()
  return found
}

/** Ends at the first problem; what failed is told, never thrown. */
export async function simulate(story: Story, base: Base, openIsolate: OpenIsolate): Promise<Ending> {
  const { simulation, world, end } = await open(story, base, openIsolate)
  await world.scheduler
    .drive(simulation.run())
    .catch((error: unknown) =>
      world.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    )
  end()
  return { problems: world.problems, steps: world.scheduler.steps, events: simulation.events, lines: world.lines }
}

async function open(story: Story, base: Base, openIsolate: OpenIsolate) {
  const scheduler = new Scheduler(story.seed, base.now_ms)
  installGlobals(scheduler)
  const workers = await Promise.all(Array.from({ length: isolates }, openIsolate))
  const world = new SimulatedWorld({
    scheduler,
    file: openCopy(base.database),
    workers,
    openIsolate,
    faults: new Set(story.faults),
  })
  const simulation = new Simulation(world, story)
  simulation.knowledge.recall(base)
  return { simulation, world, end: () => world.file.close() }
}

/** An inventory of all products but the one that everybody monitors. */
const runsMost = new SeededChance(471)

/** Days begin at other times, and some have 23 or 25 hours. */
const reportTimes: Record<string, object> = {
  alder: { reports_time_zone: 'Europe/Berlin', reports_hour: 8 },
  birch: { reports_time_zone: 'America/New_York', reports_hour: 2 },
}

export class Simulation {
  events = 0
  readonly world: SimulatedWorld
  private readonly story: Story
  readonly knowledge: Knowledge
  readonly organizations: Organization[]
  private readonly gone: Organization[] = []
  private readonly founded = new Set<string>()
  private readonly watch: Watch

  constructor(world: SimulatedWorld, story: Story) {
    this.world = world
    this.story = story
    this.knowledge = new Knowledge(world)
    const others = this.everybody
    this.organizations = story.organizations.map(
      (name) => new Organization(world, { name, people: listPeople(name), others }),
    )
    this.watch = new Watch(world, others)
  }

  private readonly everybody = () => [...this.organizations, ...this.gone]

  async run() {
    const { world, story } = this
    const { scheduler } = world
    // Some day of the year: months end, and clocks are set forward and back.
    scheduler.now_ms += scheduler.int(0, 300) * 24 * hour_ms
    for (const org of this.organizations)
      await org.call('POST', '/users/org/update', {
        org_id: org.id,
        enable_daily_email_report: true,
        enable_quiet_email_report: true,
        ...reportTimes[org.name],
      })
    while (scheduler.steps < story.steps && !world.problems.length) {
      await this.chaos()
      if (world.problems.length) break
      await this.settle()
      if (world.problems.length) break
      await probe(this)
    }
    if (!world.problems.length) await expectSoon(this)
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
      if (org.name === 'cedar') await org.call('PUT', '/api/inventories/desk', aBom(runsMost, org.secret))
      if (org.name === 'birch') await org.monitorsPackage()
    }
    await this.settle()
  }

  /** People, publishers and the clock, all at once, with faults. */
  private async chaos() {
    const { world } = this
    const { scheduler } = world
    world.isFaulty = true
    await world.recycle()
    const span_ms = scheduler.pick([60_000, 10 * 60_000, 2 * hour_ms, 12 * hour_ms])
    const jobs = Array.from({ length: scheduler.int(8, 40) }, () => this.event(scheduler.int(0, span_ms)))
    const ticks = Array.from({ length: scheduler.int(2, 6) }, async () => {
      await world.later(scheduler.int(0, span_ms))
      await world.tick()
    })
    await Promise.all([...jobs, ...ticks, this.standStill(span_ms)])
  }

  /** The whole platform for hours now and then: calls go on in the middle, and every clock has jumped. */
  private async standStill(span_ms: number) {
    const { world } = this
    const { scheduler } = world
    await world.later(scheduler.int(0, span_ms))
    if (!world.happens('all-stand-still')) return
    scheduler.now_ms += scheduler.int(1, 600) * 60_000
  }

  private async event(after_ms: number) {
    const { world, story } = this
    const number = ++this.events
    const chance = new SeededChance(story.seed * 10_000 + number)
    const isPublisher = chance.random() < 0.35
    const [name, act] = chance.pick(acts)
    await world.later(after_ms)
    if (story.without.includes(number) || world.problems.length) return
    const org = chance.pick(this.organizations)
    if (isPublisher) {
      world.note(`event ${number}: the publisher changes ${this.knowledge.change(chance)}`)
    } else {
      world.note(`event ${number}: ${org.name} ${name}`)
      const { organizations, everybody, founded } = this
      const answer = await act({ world, organizations, chance, everybody, founded }, org)
      if (answer)
        world.note(
          `event ${number}: answered ${answer.status}${answer.status < 400 ? '' : ` ${answer.text.slice(0, 120)}`}`,
        )
    }
    this.watch.look()
  }

  /** No more faults: all that was begun ends, by the clock alone. */
  async settle() {
    const { world } = this
    world.isFaulty = false
    for (const pause of [3, 3, 3, 120, 120]) await this.tickAfter(pause * 60_000)
    // Trials end, and who left is removed.
    const isAnyLeaving = world.rows('SELECT 1 FROM orgs WHERE removal_at IS NOT NULL').length > 0
    if (this.founded.size && (world.scheduler.random() < 0.3 || isAnyLeaving))
      for (const days of [5, 5, 5]) await this.nightAfter(days)
    // Longer than the last try of a message or mail, also by a clock that jumped: what still waits then waits for ever.
    await this.nightAfter(0)
    for (let day = 0; day < 5 && this.isAnyMessage(); day++) await this.nightAfter(1)
    await this.partWithRemoved()
    const peopled = this.organizations.filter(({ people }) => people.length)
    for (const org of peopled) await this.compareTwins(org)
    // All records are merged anew; and a twin is a first document, of which a mail tells.
    world.rows("UPDATE feeds SET next_run_at = '2026' WHERE id = 'remerge'")
    await this.tickAfter(0)
    this.watch.look()
    checkSettled(world, this.knowledge)
  }

  readonly tickAfter = async (ms: number, cron?: string) => {
    const { world } = this
    await world.later(ms)
    await world.tick(cron)
    while (world.isBusy()) await world.later(1_000)
  }

  /** Of an organization that is removed nothing opens anything any more. */
  private async partWithRemoved() {
    for (const org of this.organizations.filter(({ id }) => id === 0)) {
      this.organizations.splice(this.organizations.indexOf(org), 1)
      this.gone.push(org)
      this.world.note(`${org.name} is no more`)
      for (const one of org.people) await expectGone(this.world, org, one)
      for (const token of org.tokens) {
        const seen = await org.send('GET', '/api/inventories/', { authorization: `Token ${token}` })
        if (seen && seen.status < 400)
          this.world.problems.push(`A token of ${org.name}, which was removed, still reads`)
      }
    }
  }

  /** The stored findings of an inventory are those of the same document if it were sent today. */
  private async compareTwins(org: Organization) {
    for (const [name, document] of org.documents) {
      const sent = await org.call('PUT', '/api/inventories/twin', document)
      // Whose trial is over sends nothing.
      if (sent?.status === 403) continue
      const [stored, fresh] = [await readFindings(org, name), await readFindings(org, 'twin')]
      if (stored !== fresh)
        this.world.problems.push(`Inventory ${name} of ${org.name} has ${stored}, judged anew ${fresh}`)
      await org.call('DELETE', '/api/inventories/twin')
    }
  }

  private async nightAfter(days: number) {
    await this.tickAfter(days * 24 * hour_ms)
    await this.tickAfter(0, '17 3 * * *')
  }

  private isAnyMessage = () =>
    this.world.rows(`${isWaiting('deliveries')} UNION ALL ${isWaiting('mails')} LIMIT 1`).length > 0
}

const isWaiting = (table: string) => `SELECT 1 FROM ${table} WHERE status IN ('pending', 'sending')`

type Finding = { cveid: string | null; component: { name: string; version: string | null }; status: string }

async function readFindings(org: Organization, name: string) {
  const answer = await org.call('GET', `/api/inventories/${name}/findings?limit=100`)
  const { results } = answer?.json<{ results: Finding[] }>() ?? { results: [] }
  return results
    .map(({ cveid, component, status }) => `${cveid} ${JSON.stringify(component)} ${status}`)
    .toSorted()
    .join('; ')
}
