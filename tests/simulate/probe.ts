import { scores, watchedProducts } from './knowledge.ts'
import type { SimulatedWorld } from './world.ts'

/** Publishers are asked each five minutes; what comes of it is told in two. */
const soonest_minutes = 7

/** Something new about what organizations monitor: each is told, once, whatever fails meanwhile. */
export async function probe(world: SimulatedWorld, settle: (world: SimulatedWorld) => Promise<void>) {
  const { knowledge } = world
  await recover(world)
  const known = [...knowledge.records.values()].filter(({ id, isRejected }) => !isRejected && !knowledge.kev.has(id))
  const decided = known.filter(({ id }) => world.rows(decisions, id).length)
  // Others are told all the same of vulnerabilities that somebody settled or put to sleep.
  const one = world.is(0.5) && known.length ? world.pick(decided.length ? decided : known) : undefined
  const cveid = one
    ? knowledge.exploit(knowledge.edit(one.id, { score: world.pick(scores) }))
    : knowledge.publish(world.pick(watchedProducts))
  await expectTold(world, cveid, async () => {
    world.isFaulty = true
    for (let tick = 0; tick < 6; tick++) {
      await world.later(world.int(1, 30) * 60_000)
      await world.tick()
    }
    await settle(world)
  })
}

/** Nothing is in the way, and nobody waits. */
export async function expectSoon(world: SimulatedWorld) {
  await recover(world)
  await expectTold(world, world.knowledge.publish(watchedProducts[0]), async () => {
    for (let minute = 0; minute < soonest_minutes; minute++) await world.tickAfter(60_000)
  })
}

async function expectTold(world: SimulatedWorld, cveid: string, pass: () => Promise<void>) {
  const { knowledge } = world
  const { product = '', below = '' } = knowledge.records.get(cveid) ?? {}
  const isAdvised = [...knowledge.aliases.values()].includes(cveid)
  const read = () => {
    const facts = JSON.stringify({ now: world.iso(), cveid, product, below, isAdvised })
    const known = new Map(world.rows<Standing>(standings, facts).map((standing) => [standing.org, standing]))
    return world.organizations.flatMap(({ name }) => known.get(name) ?? [])
  }
  const [before, received, began_ms] = [read(), world.received.length, world.now_ms]
  const watching = before.flatMap(({ org, watches }) => (watches ? org : []))
  world.note(`probe: ${cveid} of ${product}, which ${watching.join(', ') || 'nobody'} monitors`)
  await pass()
  const after = read()
  const told = world.received.slice(received).filter(({ body }) => body.includes(`"${cveid}"`))
  for (const { org, watches, may_watch, is_paused, is_quiet } of before) {
    const isTold = told.some((message) => message.org === org)
    const now = after.find((one) => one.org === org)
    if (!isTold && watches && !is_paused && !is_quiet && now && !now.is_paused && !now.is_held)
      world.problems.push(
        `${org} monitors ${product} and is not told of ${cveid} within ${(world.now_ms - began_ms) / 60_000} minutes`,
      )
    if (isTold && (is_paused || !may_watch))
      world.problems.push(`${org} does not monitor ${product} and is told of ${cveid}`)
  }
}

/** Receivers work again, and what was given up is sent once more. */
async function recover(world: SimulatedWorld) {
  world.network.outages.clear()
  const isFailing = ({ name }: { name: string }) => world.rows(givenUp, name, world.iso()).length > 0
  const failing = world.organizations.filter(isFailing)
  for (const org of failing) {
    await org.post('/api/alerts/channels/webhook/test')
    await org.post('/api/alerts/deliveries/resend')
  }
  if (failing.length) for (const pause of [1, 5]) await world.tickAfter(pause * 60_000)
  for (const { name } of failing.filter(isFailing))
    world.problems.push(`What was given up of ${name} is never sent again`)
}

const givenUp = `
  SELECT 1 FROM deliveries d JOIN orgs o ON o.id = d.org_id WHERE o.name = ?1 AND coalesce(o.trial_ends_at > ?2, 1)
    AND d.channel = 'webhook' AND d.status IN ('dead', 'parked')`
const decisions = `
  SELECT 1 FROM decisions d JOIN vulns v ON v.id = d.vuln_id
  WHERE v.cveid = ? AND d.ended_at IS NULL AND d.verdict <> 'in_progress'`

type Standing = Record<'watches' | 'may_watch' | 'is_paused' | 'is_quiet' | 'is_held', number> & { org: string }

/** Whoever watches by the product, the package of its advisory, or an inventory; a version that somebody told may be safe. */
const standings = `
  WITH items AS (
    SELECT m.org_id, m.versions IS NULL AS is_sure FROM monitored_products m JOIN products p ON p.id = m.product_id
      WHERE p.vendor = 'acme' AND p.name = ?1 ->> 'product' AND m.is_monitored
    UNION ALL SELECT org_id, 1 FROM monitored_packages WHERE ?1 ->> 'isAdvised'
    UNION ALL SELECT c.org_id, CAST(c.version AS REAL) < CAST(?1 ->> 'below' AS REAL) FROM inventory_components c
      JOIN inventories i ON i.org_id = c.org_id AND i.id = c.inventory_id
      WHERE c.name = ?1 ->> 'product' AND i.removed_at IS NULL)
  SELECT o.name AS org, EXISTS (SELECT 1 FROM items WHERE org_id = o.id AND is_sure) AS watches,
    EXISTS (SELECT 1 FROM items WHERE org_id = o.id) AS may_watch,
    coalesce(o.trial_ends_at <= ?1 ->> 'now', 0) AS is_paused,
    NOT EXISTS (SELECT 1 FROM alert_channels c WHERE c.org_id = o.id AND c.channel = 'webhook' AND c.secrets <> '')
      OR v.kev_added_at IS NOT NULL
      OR EXISTS (SELECT 1 FROM decisions s WHERE s.org_id = o.id AND s.vuln_id = v.id AND (
        s.scope = 'vulnerability' AND s.verdict IN ('fixed', 'not_interesting')
        OR s.scope = 'alerts' AND s.ended_at IS NULL AND NOT s.on_kev)) AS is_quiet,
    -- Kept for a receiver that said that it is gone.
    EXISTS (SELECT 1 FROM deliveries d JOIN alerts a ON a.id = d.alert_id
      WHERE d.org_id = o.id AND d.channel = 'webhook' AND d.status = 'parked' AND a.vuln_id = v.id) AS is_held
  FROM orgs o LEFT JOIN vulns v ON v.cveid = ?1 ->> 'cveid'`
