// Makes the `base` of all stories beside this file, or tells those that are given as JSON, one after the other.
import { readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { organizationNames } from '../support/founding.ts'
import { SeededChance } from '../support/seeded-chance.ts'
import { actions } from './actions.ts'
import { createOrganizations } from './database.ts'
import { checkSettled, messagesWaiting } from './invariants.ts'
import { scores, watchedProducts } from './knowledge.ts'
import { Organization } from './organizations.ts'
import { tellSameStory } from './same-story.ts'
import { wholeStory, type Ending, type Story } from './story.ts'
import { SimulatedWorld, type Base } from './world.ts'

const [minute_ms, hour_ms] = [60_000, 3_600_000]

/** The story that workerd tells, too: all others go on from its end. */
async function prepare() {
  const now_ms = Date.parse('2027-01-04T00:00:00Z')
  const world = new SimulatedWorld(wholeStory(0, 0), { database: createOrganizations(), now_ms })
  const { knowledge, problems } = world
  const end = await world.drive(tellSameStory(world, knowledge))
  await world.drive(settle(world))
  if (problems.length) throw new Error(problems.join('\n'))
  const { records, advisories } = knowledge
  const base: Base = { database: world.file.serialize(), now_ms: world.now_ms, said: { records, advisories } }
  writeFileSync(baseFile, serialize(base))
  return end
}

/** Ends at the first problem; a failure is told, never thrown. */
async function simulate(story: Story): Promise<Ending> {
  const world = new SimulatedWorld(story, deserialize(readFileSync(baseFile)) as Base)
  const { problems, lines } = world
  await world.drive(run(world)).catch((error: Error) => problems.push(String(error.stack)))
  return { problems, steps: world.steps, events: world.events, lines }
}

/** Days begin at other times, and some have 23 or 25 hours. */
const dayBegins = { alder: ['Europe/Berlin', 8], birch: ['America/New_York', 2], cedar: ['UTC', 6] } as const
const reports = { enable_daily_email_report: true, enable_quiet_email_report: true }

async function run(world: SimulatedWorld) {
  const { problems, story, organizations } = world
  // Some day of the year: months end, and clocks are set forward and back.
  world.now_ms += world.int(0, 300) * 24 * hour_ms
  for (const name of organizationNames.filter((one) => !story.without.includes(one))) {
    const [org, [reports_time_zone, reports_hour]] = [new Organization(world, name), dayBegins[name]]
    await org.post('/users/org/update', { org_id: org.id, ...reports, reports_time_zone, reports_hour })
  }
  await actions['founds an organization']?.(organizations[0] as Organization, world)
  while (world.steps < story.steps && !problems.length)
    for (const tell of [chaos, settle, probe, expectSoon]) if (!problems.length) await tell(world)
}

/** People, publishers and the clock, all at once, with faults. */
async function chaos(world: SimulatedWorld) {
  world.isFaulty = true
  world.recycle()
  const span_ms = world.pick([minute_ms, 10 * minute_ms, 2 * hour_ms, 12 * hour_ms])
  const spread = (times: number, act: () => unknown) =>
    Array.from({ length: times }, () => world.later(world.int(0, span_ms)).then(act))
  // The whole platform for hours now and then: calls go on in the middle, and every clock has jumped.
  const standStill = () => void (world.now_ms += world.fault('all-stand-still'))
  const jobs = spread(world.int(8, 40), () => happen(world))
  await Promise.all([...jobs, ...spread(world.int(2, 6), () => world.tick()), ...spread(1, standStill)])
}

async function happen(world: SimulatedWorld) {
  const { story, problems, organizations, knowledge } = world
  const number = ++world.events
  const chance = new SeededChance(story.seed * 10_000 + number)
  const isPublisher = chance.is(0.35)
  const [name, act] = chance.pick(Object.entries(actions))
  if (story.without.includes(String(number)) || problems.length) return
  const org = chance.pick(organizations)
  const what = isPublisher ? `the publisher changes ${knowledge.change(chance)}` : `${org.name} ${name}`
  world.note(`event ${number}: ${what}`)
  if (!isPublisher) await act(org, chance)
  world.look()
}

/** No more faults: all that was begun ends, by the clock alone. */
async function settle(world: SimulatedWorld) {
  world.isFaulty = false
  for (const pause of [3, 3, 120]) await world.tickAfter(pause * minute_ms)
  // Trials end, and organizations that left are removed.
  const isAnyLeaving = world.rows('SELECT 1 FROM orgs WHERE removal_at IS NOT NULL').length > 0
  if (world.founded && (world.is(0.3) || isAnyLeaving)) for (const days of [5, 5, 5]) await nightAfter(world, days)
  // Each day is proved in the night after it. A message that waits after its last try, also by a clock that jumped, waits for ever.
  for (let day = 0; day < 1 || (day < 6 && world.rows(messagesWaiting).length); day++) await nightAfter(world, 1)
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

/** Of an organization that is removed nothing opens anything any more. */
async function partWith(world: SimulatedWorld, org: Organization) {
  world.organizations.splice(world.organizations.indexOf(org), 1)
  world.note(`${org.name} is no more`)
  for (const one of org.people.slice()) await org.expectGone(one)
  for (const token of org.tokens) {
    const seen = await org.send('GET', '/api/inventories/', undefined, { authorization: `Token ${token}` })
    if (seen && seen.status < 400) world.problems.push(`A token of ${org.name}, which was removed, still reads`)
  }
}

/** The stored findings of an inventory are those of the same document if it were sent today. */
async function compareTwins(world: SimulatedWorld, org: Organization) {
  for (const [name, document] of org.documents) {
    const sent = await org.put('/api/inventories/twin', document)
    // An organization whose trial is over sends nothing.
    for (const row of sent?.status === 403 ? [] : world.rows(unlikeTwin, org.id, name))
      world.problems.push(`A finding of ${org.name} is judged otherwise now: ${JSON.stringify(row)}`)
    await org.delete('/api/inventories/twin')
  }
}

const unlikeTwin = `
  SELECT f.vuln_id, c.name, c.version, f.status, i.name AS found_in FROM inventories i
    JOIN inventory_findings f ON f.org_id = i.org_id AND f.inventory_id = i.id
    JOIN inventory_components c ON c.org_id = i.org_id AND c.inventory_id = i.id AND c.id = f.component_id
  WHERE i.org_id = ?1 AND i.name IN (?2, 'twin') AND i.removed_at IS NULL GROUP BY 1, 2, 3, 4 HAVING count(DISTINCT i.id) = 1`

/** Something new about what organizations monitor: each is told, once, whatever fails meanwhile. */
async function probe(world: SimulatedWorld) {
  const { knowledge } = world
  const known = [...knowledge.records.values()].filter(({ isRejected, isKev }) => !isRejected && !isKev)
  const decided = known.filter(({ id }) => world.rows(decisions, id).length)
  // Others are told all the same of vulnerabilities that somebody settled or put to sleep.
  const one = world.is(0.5) && known.length ? world.pick(decided.length ? decided : known) : undefined
  const exploited = { isKev: true, score: world.pick(scores) }
  const change = () => (one ? knowledge.edit(one.id, exploited) : knowledge.publish(world.pick(watchedProducts)))
  await expectTold(world, change, async () => {
    world.isFaulty = true
    for (let tick = 0; tick < 6; tick++) {
      await world.later(world.int(1, 30) * minute_ms)
      await world.tick()
    }
    await settle(world)
  })
}

/** Publishers are asked each five minutes; their news is told in two: nothing is in the way, and nobody waits. */
async function expectSoon(world: SimulatedWorld) {
  await expectTold(
    world,
    () => world.knowledge.publish(watchedProducts[0]),
    async () => {
      for (let minute = 0; minute < 7; minute++) await world.tickAfter(minute_ms)
    },
  )
}

async function expectTold(world: SimulatedWorld, change: () => string, pass: () => Promise<void>) {
  const { knowledge, received } = world
  await recover(world)
  const [began, before, cveid] = [world.iso(), received.length, change()]
  world.note(`probe: ${cveid}`)
  await pass()
  const told = received.slice(before).flatMap(({ org, body }) => (body.includes(`"${cveid}"`) ? org : []))
  const facts = JSON.stringify({ ...knowledge.records.get(cveid), began, now: world.iso(), told })
  for (const { org, is_told } of world.rows<{ org: string; is_told: number }>(wronglyTold, facts))
    world.problems.push(`${org} is ${is_told ? '' : 'not '}told of ${cveid} from ${began} to ${world.iso()}`)
}

/** Receivers work again, and messages given up are sent once more. */
async function recover(world: SimulatedWorld) {
  world.network.outages.clear()
  const findFailing = () => world.rows<{ org_id: number }>(givenUp, world.iso()).map(({ org_id }) => org_id)
  if (!findFailing().length) return
  for (const org of world.organizations) {
    await org.post('/api/alerts/channels/webhook/test')
    await org.post('/api/alerts/deliveries/resend')
  }
  for (const pause of [1, 5]) await world.tickAfter(pause * minute_ms)
  for (const org_id of findFailing()) world.problems.push(`What was given up of ${org_id} is never sent again`)
}

const givenUp = `
  SELECT DISTINCT d.org_id FROM deliveries d JOIN orgs o ON o.id = d.org_id
  WHERE coalesce(o.trial_ends_at > ?, 1) AND d.channel = 'webhook' AND d.status IN ('dead', 'parked')`
const decisions = `
  SELECT 1 FROM decisions d JOIN vulns v ON v.id = d.vuln_id
  WHERE v.cveid = ? AND d.ended_at IS NULL AND d.verdict <> 'in_progress'`

/**
 * Watchers of the product, the package of its advisory, or an inventory are told, and nobody else; a version that somebody told may be safe,
 * a vulnerability that somebody settled or put to sleep is quiet, and messages are kept for a receiver that said that it is gone.
 */
const wronglyTold = `
  WITH items AS (
    SELECT m.org_id, m.versions IS NULL AS is_sure FROM monitored_products m JOIN products p ON p.id = m.product_id
      WHERE p.vendor = 'acme' AND p.name = ?1 ->> 'product' AND m.is_monitored
    UNION ALL SELECT org_id, 1 FROM monitored_packages WHERE ?1 ->> 'isAdvised'
    UNION ALL SELECT c.org_id, CAST(c.version AS REAL) < CAST(?1 ->> 'below' AS REAL) FROM inventory_components c
      JOIN inventories i ON i.org_id = c.org_id AND i.id = c.inventory_id
      WHERE c.name = ?1 ->> 'product' AND i.removed_at IS NULL)
  SELECT o.name AS org, o.name IN (SELECT value FROM json_each(?1, '$.told')) AS is_told
  FROM orgs o LEFT JOIN vulns v ON v.cveid = ?1 ->> 'id'
  WHERE iif(is_told, coalesce(o.trial_ends_at <= ?1 ->> 'began', 0) OR o.id NOT IN (SELECT org_id FROM items),
    coalesce(o.trial_ends_at > ?1 ->> 'now', 1) AND o.id IN (SELECT org_id FROM items WHERE is_sure)
      AND EXISTS (SELECT 1 FROM alert_channels c WHERE c.org_id = o.id AND c.channel = 'webhook' AND c.secrets <> '')
      AND NOT EXISTS (SELECT 1 FROM decisions s WHERE s.org_id = o.id AND s.vuln_id = v.id AND (
        s.scope = 'vulnerability' AND s.verdict IN ('fixed', 'not_interesting')
        OR s.scope = 'alerts' AND s.ended_at IS NULL AND NOT s.on_kev))
      AND NOT EXISTS (SELECT 1 FROM deliveries d JOIN alerts a ON a.id = d.alert_id
        WHERE d.org_id = o.id AND d.channel = 'webhook' AND d.status = 'parked' AND a.vuln_id = v.id))`

const [, , given = ''] = process.argv
const baseFile = `${import.meta.dirname}/base`
// The Worker reports each fault that it meets.
console.error = console.warn = console.log = () => undefined
const endings: Ending[] = []
for (const story of given === 'base' ? [] : (JSON.parse(given) as Story[])) endings.push(await simulate(story))
const answer = given === 'base' ? await prepare() : endings
// A long text takes more than one turn to leave.
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
