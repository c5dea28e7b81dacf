import { actions } from './actions.ts'
import { createOrganizations, openCopy, organizationNames, listUsernames } from './base.ts'
import type { Base } from './base.ts'
import { installGlobals } from './globals.ts'
import { checkSettled, Watch } from './invariants.ts'
import { Knowledge, watchedProducts } from './knowledge.ts'
import { Organization } from './organizations.ts'
import { SeededChance, Scheduler } from './scheduler.ts'
import { faultRates, SimulatedWorld } from './world.ts'
import type { FaultName } from './world.ts'

/** What is left out makes a failing story shorter. */
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
type Worker = ConstructorParameters<typeof SimulatedWorld>[0]['worker']

/** The first load of the feeds, and what each organization sets up: the same for all stories. */
export async function prepare(worker: Worker, migrations: string): Promise<Base> {
  const now_ms = Date.parse('2027-01-04T00:00:00Z')
  const { simulation, world, end } = open(
    { ...wholeStory(0, 0), faults: [] },
    { now_ms, records: [], database: createOrganizations(migrations) },
    worker,
  )
  await world.scheduler.drive(simulation.begin())
  if (world.problems.length) throw new Error(world.problems.join('\n'))
  const base = {
    database: world.file.serialize(),
    now_ms: world.scheduler.now_ms,
    records: [...simulation.knowledge.records],
  }
  end()
  return base
}

/** Ends at the first problem; what failed is told, never thrown. */
export async function simulate(story: Story, base: Base, worker: Worker): Promise<Ending> {
  const { simulation, world, end } = open(story, base, worker)
  await world.scheduler
    .drive(simulation.run())
    .catch((error: unknown) =>
      world.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    )
  end()
  return { problems: world.problems, steps: world.scheduler.steps, events: simulation.events, lines: world.lines }
}

function open(story: Story, base: Base, worker: Worker) {
  const scheduler = new Scheduler(story.seed, base.now_ms)
  installGlobals(scheduler)
  const world = new SimulatedWorld({ scheduler, file: openCopy(base.database), worker, faults: new Set(story.faults) })
  const simulation = new Simulation(world, story)
  simulation.knowledge.recall(base.records)
  return { simulation, world, end: () => world.file.close() }
}

class Simulation {
  events = 0
  private readonly world: SimulatedWorld
  private readonly story: Story
  readonly knowledge: Knowledge
  private readonly organizations: Organization[]
  private readonly watch: Watch

  constructor(world: SimulatedWorld, story: Story) {
    this.world = world
    this.story = story
    this.knowledge = new Knowledge(world)
    const others = () => this.organizations
    this.organizations = story.organizations.map(
      (name) => new Organization(world, { name, usernames: listUsernames(name), others }),
    )
    this.watch = new Watch(world, this.organizations)
  }

  async run() {
    const { world, story } = this
    const { scheduler } = world
    // Some day of the year: months end, and clocks are set forward and back.
    scheduler.now_ms += scheduler.int(0, 300) * 24 * hour_ms
    while (scheduler.steps < story.steps && !world.problems.length) {
      await this.chaos()
      if (world.problems.length) break
      await this.settle()
      if (world.problems.length) break
      await this.probe()
    }
  }

  async begin() {
    for (const product of watchedProducts) this.knowledge.publish(product)
    await this.settle()
    for (const org of this.organizations) {
      await org.call('PUT', '/api/alerts/channels/webhook/', { url: `https://receiver.test/${org.name}/hook` })
      await org.call('PUT', '/api/monitor/product/toggle', {
        vendor_name: 'acme',
        product_name: 'widget',
        monitored: true,
      })
    }
    await this.settle()
  }

  /** People, publishers and the clock, all at once, with faults. */
  private async chaos() {
    const { world } = this
    const { scheduler } = world
    world.isFaulty = true
    const span_ms = scheduler.pick([60_000, 10 * 60_000, 2 * hour_ms, 12 * hour_ms])
    const jobs = Array.from({ length: scheduler.int(4, 14) }, () => this.event(scheduler.int(0, span_ms)))
    const ticks = Array.from({ length: scheduler.int(2, 6) }, async () => {
      await world.later(scheduler.int(0, span_ms))
      await world.tick()
    })
    await Promise.all([...jobs, ...ticks])
  }

  private async event(after_ms: number) {
    const { world, story } = this
    const number = ++this.events
    const chance = new SeededChance(story.seed * 10_000 + number)
    const isPublisher = chance.random() < 0.35
    const org = chance.pick(this.organizations)
    const [name, act] = chance.pick(Object.entries(actions))
    await world.later(after_ms)
    if (story.without.includes(number) || world.problems.length) return
    if (isPublisher) {
      world.note(`event ${number}: the publisher changes ${this.knowledge.change(chance)}`)
    } else {
      world.note(`event ${number}: ${org.name} ${name}`)
      const answer = await act({ world, organizations: this.organizations, chance }, org)
      if (answer)
        world.note(
          `event ${number}: answered ${answer.status}${answer.status < 400 ? '' : ` ${answer.text.slice(0, 120)}`}`,
        )
    }
    this.watch.look()
  }

  /** No more faults: all that was begun ends, by the clock alone. */
  private async settle() {
    const { world } = this
    world.isFaulty = false
    for (let round = 0; round < 5; round++) {
      await world.later(round < 3 ? 3 * 60_000 : 2 * hour_ms)
      await world.tick()
      while (world.isBusy()) await world.later(1_000)
    }
    // Longer than the last try of a delivery: what still waits then waits for ever.
    await this.night()
    for (let day = 0; day < 4 && this.isAnyDelivery(); day++) {
      await world.later(24 * hour_ms)
      await world.tick()
      while (world.isBusy()) await world.later(1_000)
    }
    for (const org of this.organizations) await this.compareTwins(org)
    // A twin is a first document, of which a mail tells.
    await world.tick()
    while (world.isBusy()) await world.later(1_000)
    this.watch.look()
    checkSettled(world, this.knowledge.records)
  }

  /** What is stored of an inventory, after whatever came since, is what the same document says today. */
  private async compareTwins(org: Organization) {
    for (const [name, document] of org.documents) {
      await org.call('PUT', '/api/inventories/twin', document)
      const [stored, fresh] = [await readFindings(org, name), await readFindings(org, 'twin')]
      if (stored !== fresh)
        this.world.problems.push(`Inventory ${name} of ${org.name} has ${stored}, judged anew ${fresh}`)
      await org.call('DELETE', '/api/inventories/twin')
    }
  }

  private async night() {
    const { world } = this
    await world.tick('17 3 * * *')
    while (world.isBusy()) await world.later(1_000)
  }

  private isAnyDelivery = () =>
    this.world.rows("SELECT 1 FROM deliveries WHERE status IN ('pending', 'sending') LIMIT 1").length > 0

  /** Something new about what each organization monitors: each is told, once, whatever fails meanwhile. */
  private async probe() {
    const { world } = this
    const product = world.scheduler.pick(watchedProducts)
    const known = [...this.knowledge.records.values()].filter((one) => one.product === product && !one.isRejected)
    const isNew = known.length === 0 || world.scheduler.random() < 0.5
    const cveid = isNew ? this.knowledge.publish(product, 9.8) : this.knowledge.exploit(world.scheduler.pick(known).id)
    const listens = (name: string) => this.watches(name, product) === 'all' && !this.isQuiet(name, cveid)
    const watching = this.organizations.filter(({ name }) => listens(name))
    const nobody = this.organizations.filter(({ name }) => this.watches(name, product) === 'none')
    world.note(
      `probe: ${cveid} of ${product}, which ${watching.map(({ name }) => name).join(', ') || 'nobody'} monitors`,
    )
    const before = world.received.length
    world.isFaulty = true
    for (let tick = 0; tick < 6; tick++) {
      await world.later(world.scheduler.int(1, 30) * 60_000)
      await world.tick()
    }
    await this.settle()
    const told = world.received.slice(before).filter(({ body }) => body.includes(`"${cveid}"`))
    const isTold = ({ name }: Organization) => told.some(({ org }) => org === name)
    for (const org of watching)
      if (!isTold(org)) world.problems.push(`${org.name} monitors ${product} and is never told of ${cveid}`)
    for (const org of nobody)
      if (isTold(org)) world.problems.push(`${org.name} does not monitor ${product} and is told of ${cveid}`)
  }

  private isQuiet = (name: string, cveid: string) =>
    this.world.rows(
      `SELECT 1 FROM orgs o JOIN vulns v ON v.cveid = ?1 WHERE o.name = ?2 AND (
         EXISTS (SELECT 1 FROM decisions s WHERE s.org_id = o.id AND s.vuln_id = v.id AND s.scope = 'vulnerability' AND s.verdict IN ('fixed', 'not_interesting'))
         OR v.kev_added_at IS NOT NULL)`,
      cveid,
      name,
    ).length > 0

  /** `some`: a version may be safe, or only an inventory names it. */
  private watches(name: string, product: string) {
    const [found] = this.world.rows<{ all_versions: number; some: number }>(
      `SELECT EXISTS (SELECT 1 FROM monitored_products m JOIN products p ON p.id = m.product_id
           WHERE m.org_id = o.id AND p.vendor = 'acme' AND p.name = ?1 AND m.is_monitored AND m.versions IS NULL) AS all_versions,
         EXISTS (SELECT 1 FROM monitored_products m JOIN products p ON p.id = m.product_id
           WHERE m.org_id = o.id AND p.name = ?1 AND m.is_monitored)
         OR EXISTS (SELECT 1 FROM inventory_components c WHERE c.org_id = o.id AND c.name = ?1) AS some
       FROM orgs o WHERE o.name = ?2`,
      product,
      name,
    )
    return found?.all_versions ? 'all' : found?.some ? 'some' : 'none'
  }
}

type Finding = { cveid: string | null; component: { name: string; version: string | null }; status: string }

async function readFindings(org: Organization, name: string) {
  const answer = await org.call('GET', `/api/inventories/${name}/findings?limit=100`)
  const { results } = answer?.json<{ results: Finding[] }>() ?? { results: [] }
  return results
    .map(({ cveid, component, status }) => `${cveid} ${JSON.stringify(component)} ${status}`)
    .toSorted()
    .join('; ')
}
