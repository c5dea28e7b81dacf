import { expect, test } from 'vitest'
import { deliverDue } from '../../worker/alerts/deliver/deliver'
import { receiverRetries_s } from '../../worker/alerts/channels/health'
import { claimLanes } from '../../worker/alerts/deliver/lanes'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { queueMail } from '../../worker/mail/outbox'
import { eachTest } from './support/each-test'
import { ageAlerts, aScene, configure, findDeliveries, makeDue, point, worse } from './support/alerting'
import type { WatchingOrg } from './support/alerting'
import { aBox, until } from './support/box'
import { aRangeBelow, aVulnerablePackage, merge, nextNumber, send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'

const scene = eachTest(aScene)

const ids = Array.from({ length: 40 }, (_, at) => `CVE-2026-${50_000 + at}`)
const everything = { daily_max: 1_000 }

/** Goes on until nothing waits; queue messages come twice, late, or not at all, and some workers die on the way. */
async function goOn({ deaths = 0 } = {}) {
  for (let time = 0; time < receiverRetries_s.length; time++) {
    await makeDue(scene.world)
    if (time < deaths) await dieSending()
    const lost = time % 3 === 2
    if (!lost) await Promise.all([1, 2].map(() => scene.world.deliver('earshot-deliveries', { reason: 'due' })))
    await scene.later(1)
  }
}

/** A worker dies after it sent half of its rows, before it records them: their lease runs out. */
const dieSending = () =>
  scene.world
    .sql`UPDATE deliveries SET status = 'sending', attempts = attempts + 1, lease_until = '2026-01-01T00:00:00Z'
     WHERE id % 4 = 0 AND status IN ('pending', 'sent') AND attempts < 3`

async function tellMany(channels: string[], org: WatchingOrg) {
  for (const channel of channels) await point(scene, org, channel, everything)
  scene.origins.modified = []
  await scene.modify(...ids.map((id): [string] => [id]))
}

test('with a fifth of all sends failing before and a fifth after acceptance nothing is lost or doubled inside, and outside each repeat has its id', async () => {
  const org = await scene.watching()
  await scene.box.behave({ lose_before: 0.2, lose_after: 0.2 })
  await tellMany(['webhook', 'thehive', 'misp'], org)
  await goOn({ deaths: 2 })
  const deliveries = await findDeliveries(scene.world)
  expect(deliveries).toHaveLength(3 * ids.length)
  expect([...new Set(deliveries.map(({ status }) => status))]).toEqual(['sent'])

  const { requests, alerts, events } = await scene.box.state()
  const hooks = requests.filter(({ path, taken }) => taken && path === '/hook')
  const byId = Map.groupBy(hooks, ({ headers }) => headers['webhook-id'])
  const expected = deliveries.filter(({ channel }) => channel === 'webhook').map(({ id }) => `msg_${id}`)
  expect([...byId.keys()].sort()).toEqual(expected.sort())
  // Messages that were accepted without our knowledge came again with the same id.
  expect(hooks.length).toBeGreaterThan(ids.length)
  for (const repeats of byId.values())
    expect(new Set(repeats.map(({ body }) => JSON.parse(body).data.vulnerability.cveid)).size).toBe(1)
  expect([alerts.length, events.length]).toEqual([ids.length, ids.length])
}, 120_000)

test('at receivers that refuse three of ten requests everything arrives within the schedule', async () => {
  const org = await scene.watching()
  await scene.box.behave({ refuse: 0.3 })
  await tellMany(['webhook', 'slack', 'thehive', 'misp'], org)
  await goOn()
  const states = Map.groupBy(await findDeliveries(scene.world), ({ status }) => status)
  expect([...states.keys()]).toEqual(['sent'])
  expect(new Set((await scene.box.taken('hook')).map(({ headers }) => headers['webhook-id'])).size).toBe(ids.length)
}, 120_000)

test('changes of what TheHive and MISP know already arrive there, too, and are commented once', async () => {
  const org = await scene.watching()
  await tellMany(['thehive', 'misp'], org)
  await scene.box.behave({ refuse: 0.15, lose_after: 0.15 })
  await ageAlerts(scene.world)
  await scene.modify(...ids.slice(0, 10).map((id): [string, typeof worse] => [id, worse]))
  await goOn()
  expect([...new Set((await findDeliveries(scene.world)).map(({ status }) => status))]).toEqual(['sent'])
  const { comments, alerts, events } = await scene.box.state()
  expect([comments.length, alerts.length, events.length]).toEqual([10, ids.length, ids.length])
  expect(new Set(comments.map(({ id }) => id)).size).toBe(10)
}, 120_000)

test('mails that fail before and after acceptance keep their Message-ID', async () => {
  const org = await scene.watching({})
  scene.world.mailServer.refuse = '451 later'
  await scene.modify(['CVE-2026-20001'])
  scene.world.mailServer.refuse = null
  await makeDue(scene.world)
  await scene.later(1)
  await scene.world.sql`UPDATE deliveries SET status = 'sending', lease_until = '2026-01-01T00:00:00Z'`
  await scene.later(1)
  const sent = scene.world.mails.map(({ to, headers }) => [to, headers['X-Earshot-Id']])
  expect(sent).toEqual([
    [org.email, '<delivery-1@earshot.test>'],
    [org.email, '<delivery-1@earshot.test>'],
  ])
  expect((await findDeliveries(scene.world)).map(({ status }) => status)).toEqual(['sent'])
})

test('a worker that dies while it sends costs a try only of what it was sending', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook', everything)
  await scene.box.behave({ status: 503 })
  scene.origins.modified = []
  await scene.modify(...ids.slice(0, 3).map((id): [string] => [id]))
  for (let death = 0; death < 2; death++) {
    await scene.world.sql`UPDATE deliveries
      SET status = 'sending', attempts = 1, lease_until = '2026-01-01T00:00:00Z', next_attempt_at = '2026-01-01T00:00:00Z'`
    await claimLanes(openDb(scene.world.env), [], { healthy: 6, failing: 2, isWide: true }, scene.now())
  }
  expect((await findDeliveries(scene.world)).map(({ attempts }) => attempts)).toEqual([2, 1, 1])
})

test('a message that a dead worker had taken is sent by another within two minutes, once', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook', everything)
  await scene.box.behave({ status: 503 })
  scene.origins.modified = []
  await scene.modify(...ids.slice(0, 12).map((id): [string] => [id]))
  await scene.box.behave({})
  await makeDue(scene.world)
  const { env } = scene.world
  const began = new Date()
  expect(await claimLanes(openDb(env), [], { healthy: 6, failing: 2, isWide: true }, began)).toHaveLength(10)
  const goOnAfter = (seconds: number) => deliverDue(env, openDb(env), () => plusSeconds(began, seconds))
  await goOnAfter(110)
  expect(await scene.box.taken('hook')).toHaveLength(2)
  await goOnAfter(121)
  const messages = (await scene.box.taken('hook')).map(({ headers }) => headers['webhook-id'])
  expect([messages.length, new Set(messages).size]).toEqual([12, 12])
})

test('an alert that cannot be written is tried again later, and holds up none of those after it', async () => {
  const orgs = [await scene.watching({}), await scene.watching({})]
  scene.world.mailServer.refuse = '451 later'
  await scene.modify(['CVE-2026-20001'], ['CVE-2026-20002'], ['CVE-2026-20003'])
  scene.world.mailServer.refuse = null
  await makeDue(scene.world)
  await scene.world.sql`UPDATE vuln_changes SET detail = 'no JSON' WHERE vuln_id = 2`
  await scene.later(1)
  expect(scene.world.mails.map(({ to }) => to).sort()).toEqual(orgs.flatMap(({ email }) => [email, email]).sort())
  const broken = (await findDeliveries(scene.world)).filter(({ status }) => status !== 'sent')
  expect(broken.map(({ status, last_error }) => [status, last_error])).toEqual(
    orgs.map(() => ['pending', 'Earshot could not write this message']),
  )
})

test('a mail of another organization leaves while a receiver hangs', async () => {
  const [slow, other] = [await scene.watching(), await scene.watching()]
  await point(scene, slow, 'webhook')
  await scene.box.behave({ hangs: true })
  scene.origins.modified = []
  const running = scene.modify(['CVE-2026-20001'])
  await until(async () => (await scene.box.state()).requests.length > 0)
  await queueMail(openDb(scene.world.env), { org_id: other.org_id, ...aNotice(other.email) }, new Date()).run()
  await until(() => scene.world.mails.some(({ subject }) => subject === 'While you wait'))
  await scene.box.behave({})
  await running
  expect((await findDeliveries(scene.world)).every(({ status }) => status === 'sent')).toBe(true)
}, 30_000)

const aNotice = (to: string) => ({ to, kind: 'x', subject: 'While you wait', html: '<p>x</p>', text: 'x' })

test('receivers that begin to hang at once and take every place are left to one invocation: the next one is asked for', async () => {
  const slow = [await scene.watching(), await scene.watching(), await scene.watching(), await scene.watching()]
  slow.push(await scene.watching())
  const [quick, box] = [await scene.watching(), aBox()]
  for (const org of slow) await configure(org, 'webhook', { url: `${scene.box.url}/hook` })
  await configure(quick, 'webhook', { url: `${box.url}/hook` })
  await scene.modify(['CVE-2026-20001'])
  const { env, deliver, waiting } = scene.world
  await rows(env, "UPDATE deliveries SET status = 'pending', attempts = 0, next_attempt_at = '2026-01-01T00:00:00Z'")
  await rows(env, "UPDATE deliveries SET next_attempt_at = '2099-01-01T00:00:00Z' WHERE org_id = ?1", quick.org_id)
  const before = (await scene.box.state()).requests.length
  await scene.box.behave({ hangs: true })
  const hanging = deliver('earshot-deliveries', { reason: 'due' })
  await until(async () => (await scene.box.state()).requests.length >= before + slow.length)
  await makeDue(scene.world)
  await until(() => waiting.some(({ queue }) => queue === 'earshot-deliveries'))
  const sent = (await box.state()).requests.length
  await deliver('earshot-deliveries', { reason: 'due' })
  expect((await box.state()).requests.length).toBeGreaterThan(sent)
  await scene.box.behave({})
  await hanging
  expect((await findDeliveries(scene.world)).every(({ status }) => status === 'sent')).toBe(true)
}, 60_000)

test('a receiver that hangs gives its place back after each message, which costs the others of it no try', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook', everything)
  await scene.box.behave({ delay_ms: 2_500 })
  scene.origins.modified = []
  const running = scene.modify(...ids.slice(0, 3).map((id): [string] => [id]))
  await until(async () => (await scene.box.state()).requests.length >= 2)
  await scene.box.behave({})
  await running
  expect((await findDeliveries(scene.world)).map(({ status, attempts }) => [status, attempts])).toEqual(
    ids.slice(0, 3).map(() => ['sent', 1]),
  )
}, 90_000)

test('the database being overloaded while a success is recorded sends nothing twice', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  const { DB } = scene.world.env
  const prepare = DB.prepare.bind(DB)
  let failures = 3
  const shaky = new Proxy(DB, {
    get: (target, name) => {
      if (name !== 'prepare')
        return typeof target[name as 'batch'] === 'function'
          ? target[name as 'batch'].bind(target)
          : target[name as 'batch']
      return (sql: string) => {
        if (/^update "deliveries" set .*"sent_at"/.test(sql) && failures-- > 0)
          throw new Error('D1_ERROR: D1 DB is overloaded')
        return prepare(sql)
      }
    },
  })
  scene.world.env.DB = shaky
  await scene.modify(['CVE-2026-20001'])
  scene.world.env.DB = DB
  expect(failures).toBeLessThan(1)
  await makeDue(scene.world)
  await scene.later(1)
  expect(await scene.box.taken('hook')).toHaveLength(1)
})

/** Somebody acts after planning has read whom changes concern, and before it moves its mark. */
function readBefore(act: () => Promise<unknown>, times = 1) {
  const db = openDb(scene.world.env)
  const { batch } = db.$client
  let left = times
  return Object.assign(db, {
    $client: Object.assign(db.$client, {
      batch: async (statements: D1PreparedStatement[]) => {
        const [first] = statements as unknown as { sql: string }[]
        if (first?.sql.includes('UPDATE counters') && left-- > 0) await act()
        return batch(statements)
      },
    }),
  })
}

test('an organization judged, or planned, while the changes of all are planned is alerted all the same', async () => {
  const { world } = scene
  const org = await anOrg({ world })
  const shared = await aVulnerablePackage(world)
  await send(org, 'shop', [shared.purl('2.16.0')])
  const start = new Date()
  const plan = (db = openDb(world.env)) => planAndDrive(world.env, db, start)
  await plan()
  const publish = async () => {
    const cveid = `CVE-2031-${10_000 + nextNumber()}`
    await merge(world, { cveid, packages: aRangeBelow(shared, '3.0') })
    return { cveid }
  }
  const listAlerted = () =>
    world.sql`SELECT v.cveid FROM alerts a JOIN vulns v ON v.id = a.vuln_id WHERE a.org_id = ${org.org_id}
      ORDER BY v.id`
  const judge = () => rejudgeDue(openDb(world.env), start)
  const first = await publish()
  await plan(readBefore(judge))
  expect(await listAlerted()).toEqual([first])

  // Now it waits, and somebody plans what it waits for, and dies before the turn of the others.
  const second = await publish()
  await plan()
  expect(await listAlerted()).toEqual([first])
  const third = await publish()
  const dying = readBefore(() => Promise.reject(new Error('killed')), Infinity)
  await plan(
    readBefore(async () => {
      await judge()
      await expect(plan(dying)).rejects.toThrow('killed')
    }),
  )
  expect(await listAlerted()).toEqual([first, second, third])
  expect(await world.sql`SELECT * FROM alert_waits`).toEqual([])
})
