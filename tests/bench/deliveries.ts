import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startMailServer } from '../support/mail-server.ts'
import { startReceivers, type Behaviour, type BoxState } from '../support/receivers.ts'
import { countOpen, createBase, plant } from './delivery-base.ts'
import type { Figure } from './figures.ts'
import { quantile } from './latency.ts'

const program = fileURLToPath(new URL('./deliver-child.ts', import.meta.url))
const [messages, kills, flood, quiet] = [10_000, 50, 100_000, 20]
const faults: Behaviour = { lose_before: 0.2, lose_after: 0.2 }

/** Of ten messages seven go by webhook, and one each by mail, to TheHive and to MISP. */
const mixed = ['thehive', 'misp', 'email', ...Array.from({ length: 7 }, () => 'webhook')]

export async function measureDeliveries(): Promise<Figure[]> {
  return [...(await measureKills()), ...(await measureFlood())]
}

/** Receivers and mail lose a fifth of all before and a fifth after acceptance, and the worker that delivers is killed again and again. */
async function measureKills(): Promise<Figure[]> {
  const scene = await openScene(['webhook', 'thehive', 'misp'], 10, faults)
  const { file, mail } = scene
  for (let org_id = 1; org_id <= 10; org_id++) plant(file, { org_id, count: messages / 10, told: 2, routes: mixed })
  const began = performance.now()
  let [killed, ahead_s] = [0, 0]
  while (countOpen(file) > 0) {
    const lives_ms = killed < kills ? 500 + Math.random() * 6_000 : undefined
    const end = await deliver(scene, { ahead_s, lives_ms })
    killed += Number(end.isKilled)
    ahead_s = Math.max(ahead_s, end.ahead_s)
  }
  const seconds = (performance.now() - began) / 1000
  const rows = file.prepare('SELECT id, channel, status FROM deliveries').all() as Row[]
  const state = await scene.readState()
  await scene.close()
  const taken = state.requests.filter((request) => request.taken && request.path === '/hook')
  const byId = Map.groupBy(taken, ({ headers }) => headers['webhook-id'] ?? '')
  const byMail = Map.groupBy(mail.mails, ({ message_id }) => message_id)
  const sent = rows.filter(({ status }) => status === 'sent')
  const lost = sent.filter(
    ({ id, channel }) =>
      (channel === 'webhook' && !byId.has(`msg_${id}`)) ||
      (channel === 'email' && !byMail.has(`<delivery-${id}@earshot.test>`)),
  )
  const alertIds = (bodies: { body: string }[]) =>
    new Set(bodies.map(({ body }) => (JSON.parse(body) as { data: { alert_id: number } }).data.alert_id))
  const others = [
    ...[...byId.values()].filter((same) => alertIds(same).size > 1),
    ...[...byMail.values()].filter((same) => new Set(same.map(({ subject }) => subject)).size > 1),
  ]
  const dead = rows.filter(({ status }) => status === 'dead').length
  return [
    { what: `${messages} messages with faults and ${killed} kills`, figure: `${seconds.toFixed(0)} s` },
    { what: 'neither taken nor given up, or called sent and never taken', figure: String(lost.length), bound: '0' },
    { what: 'given up after ten tries, and shown so', figure: String(dead), bound: '10' },
    {
      what: 'taken again under the same id',
      figure: `${taken.length - byId.size} by webhook, ${mail.mails.length - byMail.size} by mail`,
    },
    { what: 'one id for two alerts', figure: String(others.length), bound: '0' },
    {
      what: 'requests of a wrong shape',
      figure: String(state.requests.filter(({ problem }) => problem !== null).length),
      bound: '0',
    },
  ]
}

type Row = { id: number; channel: string; status: string }

/** Urgent messages of others, one a second, while those of one organization wait for six receivers. */
async function measureFlood(): Promise<Figure[]> {
  const routes = ['webhook', ...Array.from({ length: 5 }, (_, at) => `webhook-${at + 2}`)]
  const scene = await openScene(routes, quiet + 1, {})
  const { file } = scene
  plant(file, { org_id: 1, count: flood, told: 2, routes })
  const end = deliver(scene, { ahead_s: 0, lives_ms: 185_000 })
  const [waits, open]: [number[], Map<number, number>] = [[], new Map()]
  const began = Date.now()
  for (let turn = 0; turn < 180; turn++) {
    // Before the last ninety seconds: a receiver not told until then counts as late.
    if (turn < 90)
      open.set(plant(file, { org_id: 2 + (turn % quiet), count: 1, told: 8, routes: ['webhook'] }), Date.now())
    while (Date.now() < began + (turn + 1) * 1_000) {
      await sleep(100)
      for (const [alert_id, at] of open) {
        const row = file.prepare('SELECT status FROM deliveries WHERE alert_id = ?').get(alert_id)
        if (row?.['status'] !== 'sent') continue
        waits.push(Date.now() - at)
        open.delete(alert_id)
      }
    }
    if (turn >= 90 && !open.size) break
  }
  const left = countOpen(file)
  await scene.close()
  await end
  for (const at of open.values()) waits.push(Date.now() - at)
  return [
    {
      what: `urgent messages of ${quiet} others beside ${flood} of one organization`,
      figure: `p50 ${(quantile(waits, 0.5) / 1000).toFixed(1)} s, p95 ${(quantile(waits, 0.95) / 1000).toFixed(1)} s of ${waits.length}; ${left} of the others' left`,
      bound: 'p95 90 s',
    },
  ]
}

async function openScene(routes: string[], orgs: number, behaviour: Behaviour) {
  const [receivers, mail] = [await startReceivers(), await startMailServer(behaviour)]
  const box = `${receivers.url}/bench`
  await fetch(`${box}/behave`, { method: 'PUT', body: JSON.stringify(behaviour) })
  const path = join(mkdtempSync(join(tmpdir(), 'earshot-deliveries-')), 'base.sqlite')
  const file = await createBase(path, { orgs, routes, box })
  const readState = async () => (await (await fetch(`${box}/state`)).json()) as BoxState
  const close = async () => {
    scene.child?.kill('SIGKILL')
    file.close()
    rmSync(dirname(path), { recursive: true, force: true })
    await Promise.all([receivers.close(), mail.close()])
  }
  const scene: Scene = { file, mail, path, readState, close }
  return scene
}

type Scene = {
  file: DatabaseSync
  mail: Awaited<ReturnType<typeof startMailServer>>
  path: string
  readState: () => Promise<BoxState>
  close: () => Promise<void>
  child?: ReturnType<typeof spawn>
}

/** Runs the Worker's own deliveries in a process until nothing waits, or until it is killed. */
async function deliver(scene: Scene, { ahead_s, lives_ms }: { ahead_s: number; lives_ms: number | undefined }) {
  const child = spawn(process.execPath, [program, scene.path, String(ahead_s), scene.mail.url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  scene.child = child
  let [output, timer]: [string, ReturnType<typeof setTimeout> | undefined] = ['', undefined]
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
    if (lives_ms && !timer && output.includes('ready')) timer = setTimeout(() => child.kill('SIGKILL'), lives_ms)
  })
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  const last = [...output.matchAll(/ahead (\d+)/g)].at(-1)?.[1]
  return { isKilled: child.signalCode === 'SIGKILL', ahead_s: Number(last ?? ahead_s) }
}
