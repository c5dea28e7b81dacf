import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rmSync } from 'node:fs'
import { startReceivers } from '../support/receivers.ts'
import type { Behaviour, BoxState } from '../support/receivers.ts'
import { deliveryEnv, importDelivery, createDeliveryBase } from './delivery-base.ts'
import type { Figure } from './figures.ts'

/** Organizations with `each` due deliveries; the `bad` ones have receivers that hang or fail. */
const [healthy, bad, each] = [20, 8, 10]
const at = '2026-01-01T00:00:00Z'

/** How much later the deliveries of other organizations arrive when eight receivers hang or fail. */
export async function measureHanging(): Promise<Figure[]> {
  // The first run compiles the code, as in a worker that has been running.
  await deliverBeside({})
  const quiet = await deliverBeside({})
  const hanging = await deliverBeside({ delay_ms: 14_000 })
  const failing = await deliverBeside({ status: 503 })
  const line = (what: string, ms: number): Figure => ({
    what: `later by, beside eight receivers that ${what}`,
    figure: `${(Math.max(0, ms - quiet) / 1000).toFixed(2)} s`,
    bound: '2 s',
  })
  return [
    {
      what: `${healthy * each} deliveries of ${healthy} organizations, the last`,
      figure: `${(quiet / 1000).toFixed(2)} s`,
    },
    line('hang', hanging),
    line('fail', failing),
  ]
}

/** Milliseconds until the last delivery of the healthy organizations has come. */
async function deliverBeside(behaviour: Behaviour) {
  const { deliverDue, openDb } = await importDelivery()
  const receivers = await startReceivers()
  const boxes = { bad: `${receivers.url}/bad`, good: `${receivers.url}/good` }
  const orgs = bad + healthy
  const { path, file } = await createDeliveryBase(orgs, ['webhook'], (org_id) =>
    org_id <= bad ? boxes.bad : boxes.good,
  )
  try {
    file.exec(`
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${orgs * each - 1})
      INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
      SELECT i % ${orgs} + 1, i / ${orgs} + 1, i, i, 'updated', 2, '${at}', '${at}' FROM n;
      INSERT INTO deliveries(org_id, alert_id, channel, target, rule, told, status, next_attempt_at)
      SELECT org_id, id, 'webhook', '', 'updated', 2, 'pending', '${at}' FROM alerts`)
    await fetch(`${boxes.bad}/behave`, { method: 'PUT', body: JSON.stringify(behaviour) })
    // Each message starts another consumer, as the queue does while one is busy.
    const work: Promise<void>[] = []
    const start = () => void work.push(deliverDue(env, openDb(env), () => new Date()))
    const timers: ReturnType<typeof setTimeout>[] = []
    const env = deliveryEnv(file, {
      send: async (_, { delaySeconds = 0 } = {}) => {
        timers.push(setTimeout(start, delaySeconds * 1000))
      },
    })
    const began = Date.now()
    start()
    while ((await readTimes(boxes.good)).length < healthy * each) await sleep(50)
    await fetch(`${boxes.bad}/behave`, { method: 'PUT', body: '{}' })
    while (work.length) await work.shift()
    timers.forEach(clearTimeout)
    return Math.max(...(await readTimes(boxes.good))) - began
  } finally {
    file.close()
    rmSync(dirname(path), { recursive: true, force: true })
    await receivers.close()
  }
}

async function readTimes(box: string) {
  const { requests } = (await (await fetch(`${box}/state`)).json()) as BoxState
  return requests.map((request) => request.at)
}
