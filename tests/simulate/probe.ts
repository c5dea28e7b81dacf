import { watchedProducts } from './knowledge.ts'
import type { Organization } from './organizations.ts'
import type { Simulation } from './simulation.ts'
import type { SimulatedWorld } from './world.ts'

/** Something new about what each organization monitors: each is told, once, whatever fails meanwhile. */
export async function probe(simulation: Simulation) {
  const { world, knowledge, organizations } = simulation
  await recover(simulation)
  const { scheduler, problems } = world
  const known = [...knowledge.records.values()].filter(({ id, isRejected }) => !isRejected && !knowledge.kev.has(id))
  const decided = known.filter(({ id }) => isDecided(world, id))
  // Others are told all the same of vulnerabilities that somebody settled or put to sleep.
  const one = scheduler.random() < 0.5 && known.length ? scheduler.pick(decided.length ? decided : known) : undefined
  const product = one?.product ?? scheduler.pick(watchedProducts)
  const cveid = one ? knowledge.exploit(one.id) : knowledge.publish(product, 9.8)
  const isAdvised = [...knowledge.aliases.values()].includes(cveid)
  const flaw = { cveid, product, below: knowledge.records.get(cveid)?.below ?? '', isAdvised }
  const watching = organizations.filter((org) => watches(world, org, flaw) === 'yes' && !isQuiet(world, org, cveid))
  const nobody = organizations.filter((org) => isPaused(world, org) || watches(world, org, flaw) === 'no')
  world.note(`probe: ${cveid} of ${product}, which ${watching.map(({ name }) => name).join(', ') || 'nobody'} monitors`)
  const before = world.received.length
  world.isFaulty = true
  for (let tick = 0; tick < 6; tick++) {
    await world.later(scheduler.int(1, 30) * 60_000)
    await world.tick()
  }
  await simulation.settle()
  const told = world.received.slice(before).filter(({ body }) => body.includes(`"${cveid}"`))
  const isTold = ({ name }: Organization) => told.some(({ org }) => org === name)
  for (const org of watching)
    if (!isTold(org) && !isPaused(world, org) && !isHeld(world, org, cveid))
      problems.push(`${org.name} monitors ${product} and is never told of ${cveid}`)
  for (const org of nobody)
    if (isTold(org)) problems.push(`${org.name} does not monitor ${product} and is told of ${cveid}`)
}

/** Publishers are asked each five minutes; what comes of it is told in two. */
const soonest_minutes = 7

/** Nothing is in the way, and nobody waits. */
export async function expectSoon(simulation: Simulation) {
  const { world, knowledge, organizations } = simulation
  await recover(simulation)
  const cveid = knowledge.publish(watchedProducts[0])
  const flaw = { cveid, product: watchedProducts[0], below: '2.0', isAdvised: false }
  const watching = organizations.filter((org) => watches(world, org, flaw) === 'yes' && !isQuiet(world, org, cveid))
  const before = world.received.length
  for (let minute = 0; minute < soonest_minutes; minute++) await simulation.tickAfter(60_000)
  const told = new Set(
    world.received.slice(before).flatMap(({ org, body }) => (body.includes(`"${cveid}"`) ? org : [])),
  )
  for (const org of watching)
    if (!told.has(org.name) && !isHeld(world, org, cveid))
      world.problems.push(`${org.name} waits for more than ${soonest_minutes} minutes for ${cveid}`)
}

/** Receivers work again, and what was given up is sent once more. */
async function recover({ world, organizations, tickAfter }: Simulation) {
  world.network.outages.clear()
  const failing = organizations.filter((org) => countGivenUp(world, org) > 0 && !isPaused(world, org))
  for (const org of failing) {
    await org.call('POST', '/api/alerts/channels/webhook/test')
    await org.call('POST', '/api/alerts/deliveries/resend')
  }
  if (failing.length) for (const pause of [1, 5]) await tickAfter(pause * 60_000)
  for (const org of failing)
    if (countGivenUp(world, org) > 0) world.problems.push(`What was given up of ${org.name} is never sent again`)
}

const countGivenUp = (world: SimulatedWorld, { id }: Organization) =>
  world.rows("SELECT 1 FROM deliveries WHERE org_id = ? AND channel = 'webhook' AND status IN ('dead', 'parked')", id)
    .length

const isPaused = (world: SimulatedWorld, { id }: Organization) =>
  world.rows(
    'SELECT 1 FROM orgs WHERE id = ?1 AND trial_ends_at <= ?2',
    id,
    new Date(world.scheduler.now_ms).toISOString(),
  ).length > 0

/** Kept for a receiver that said that it is gone. */
const isHeld = (world: SimulatedWorld, { id }: Organization, cveid: string) =>
  world.rows(
    `SELECT 1 FROM deliveries d JOIN alerts a ON a.id = d.alert_id JOIN vulns v ON v.id = a.vuln_id
     WHERE d.org_id = ? AND d.channel = 'webhook' AND d.status = 'parked' AND v.cveid = ?`,
    id,
    cveid,
  ).length > 0

const hasReceiver = (world: SimulatedWorld, { id }: Organization) =>
  world.rows("SELECT 1 FROM alert_channels WHERE org_id = ? AND channel = 'webhook' AND secrets <> ''", id).length > 0

const isDecided = (world: SimulatedWorld, cveid: string) =>
  world.rows(
    "SELECT 1 FROM decisions d JOIN vulns v ON v.id = d.vuln_id WHERE v.cveid = ? AND d.ended_at IS NULL AND d.verdict <> 'in_progress'",
    cveid,
  ).length > 0

const isQuiet = (world: SimulatedWorld, org: Organization, cveid: string) =>
  isPaused(world, org) ||
  !hasReceiver(world, org) ||
  world.rows(
    `SELECT 1 FROM vulns v WHERE v.cveid = ?1 AND (v.kev_added_at IS NOT NULL OR EXISTS (
       SELECT 1 FROM decisions s WHERE s.org_id = ?2 AND s.vuln_id = v.id AND (
         s.scope = 'vulnerability' AND s.verdict IN ('fixed', 'not_interesting')
         OR s.scope = 'alerts' AND s.ended_at IS NULL AND NOT s.on_kev)))`,
    cveid,
    org.id,
  ).length > 0

type Flaw = { product: string; below: string; isAdvised: boolean }

/** By the product, the package of its advisory, or an inventory; `perhaps` where a version that somebody told may be safe. */
function watches(world: SimulatedWorld, { id }: Organization, flaw: Flaw): 'yes' | 'perhaps' | 'no' {
  const { product, below, isAdvised } = flaw
  const items = world.rows<{ versions: string | null }>(
    `SELECT m.versions FROM monitored_products m JOIN products p ON p.id = m.product_id
     WHERE m.org_id = ?1 AND p.vendor = 'acme' AND p.name = ?2 AND m.is_monitored`,
    id,
    product,
  )
  const components = world.rows<{ version: string }>(
    `SELECT c.version FROM inventory_components c JOIN inventories i ON i.org_id = c.org_id AND i.id = c.inventory_id
     WHERE c.org_id = ?1 AND c.name = ?2 AND i.removed_at IS NULL`,
    id,
    product,
  )
  const packages = isAdvised ? world.rows('SELECT 1 FROM monitored_packages WHERE org_id = ?1', id) : []
  const isSure =
    items.some(({ versions }) => versions === null) ||
    packages.length > 0 ||
    components.some((one) => +one.version < +below)
  return isSure ? 'yes' : items.length || components.length ? 'perhaps' : 'no'
}
