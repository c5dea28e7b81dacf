import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { startMailServer } from '../support/mail-server.ts'
import { startReceivers } from '../support/receivers.ts'
import type { Behaviour, BoxState, Received } from '../support/receivers.ts'
import { deliveryBase, findNextDue, createDeliveryBase, plantDeliveries } from './delivery-base.ts'
import type { Figure } from './figures.ts'

const program = fileURLToPath(new URL('./deliver-worker.ts', import.meta.url))
/** How long a process lives before we kill it. */
const life_ms = { least: 200, most: 8_000 }

/**
 * A fifth of all requests fails before and a fifth after acceptance; queue messages are lost, doubled and reordered; the database reports
 * overload; and we kill the delivering process at random points and start it again. Its clock jumps to
 * the next due time, so that 75 hours of tries take minutes.
 */
export async function measureDeliveries(count: number): Promise<Figure[]> {
  const { state, mails, rows, kills, seconds } = await runDeliveries(count, { lose_before: 0.2, lose_after: 0.2 }, true)
  const hooks = state.requests.filter(({ taken, path }) => taken && path === '/hook')
  const byId = Map.groupBy(hooks, ({ headers }) => headers['webhook-id'] ?? '')
  const byMessageId = Map.groupBy(mails, ({ message_id }) => message_id)
  const elsewhere = [
    ...[...byId.values()].filter((same) => new Set(same.map(readAlertId)).size > 1),
    ...[...byMessageId.values()].filter((same) => new Set(same.map(({ subject }) => subject)).size > 1),
  ]
  const sent = rows.filter(({ status }) => status === 'sent')
  const never = sent.filter(
    ({ id, channel }) =>
      (channel === 'webhook' && !byId.has(`msg_${id}`)) ||
      (channel === 'email' && !byMessageId.has(`<delivery-${id}@earshot.example>`)),
  )
  const comments = state.comments.map(({ message }) => /\[Earshot message \d+\]/.exec(message)?.[0])
  const pairs = deliveryBase.orgs * Math.min(deliveryBase.vulns, Math.ceil(count / (deliveryBase.orgs * 10)))
  const problems = state.requests.filter(({ problem }) => problem !== null)
  return [
    {
      what: `${count} deliveries with all faults`,
      figure: `${seconds.toFixed(0)} s, ${kills} kills, ${mean(rows).toFixed(2)} tries each`,
    },
    { what: 'neither sent nor given up', figure: String(rows.filter(isOpen).length), bound: '0' },
    { what: 'called sent and never taken', figure: String(never.length), bound: '0' },
    {
      what: 'given up after ten tries, and shown so',
      figure: String(rows.filter(({ status }) => status === 'dead').length),
      bound: String(count / 1_000),
    },
    {
      what: 'taken more than once, under the same id',
      figure: `${hooks.length - byId.size} by webhook, ${mails.length - byMessageId.size} by mail`,
    },
    { what: 'repeats under another id', figure: String(elsewhere.length), bound: '0' },
    {
      what: 'alerts of TheHive, events of MISP',
      figure: `${state.alerts.length}, ${state.events.length}`,
      bound: `${pairs}, ${pairs}`,
    },
    {
      what: 'comments at TheHive that stand twice',
      figure: String(comments.length - new Set(comments).size),
      bound: '0',
    },
    { what: 'requests of a wrong shape', figure: String(problems.length), bound: '0' },
  ]
}

/** How many deliveries arrive within ten tries in 75 hours, at receivers that refuse three of ten requests. */
export async function measureSchedule(count: number): Promise<Figure[]> {
  const { rows, ahead_s } = await runDeliveries(count, { refuse: 0.3 }, false)
  const share = rows.filter(({ status }) => status === 'sent').length / count
  return [
    {
      what: 'arrived at receivers that refuse three of ten requests',
      figure: `${(100 * share).toFixed(2)} % of ${count}, the last after ${(ahead_s / 3_600).toFixed(1)} hours`,
      bound: '≥ 99.9 % in 75 hours',
    },
  ]
}

type Row = { id: number; channel: string; status: string; attempts: number }

const mean = (rows: Row[]) => rows.reduce((sum, { attempts }) => sum + attempts, 0) / rows.length
const isOpen = ({ status }: Row) => status !== 'sent' && status !== 'dead'
const readAlertId = ({ body }: Received) => (JSON.parse(body) as { data: { alert_id: number } }).data.alert_id

async function runDeliveries(count: number, behaviour: Behaviour, isFaulty: boolean) {
  const [receivers, mailServer] = [await startReceivers(), await startMailServer(behaviour)]
  const url = `${receivers.url}/bench`
  const { path, file } = await createDeliveryBase(deliveryBase.orgs, ['webhook', 'thehive', 'misp'], () => url)
  try {
    plantDeliveries(file, count)
    await fetch(`${url}/behave`, { method: 'PUT', body: JSON.stringify(behaviour) })
    const began = performance.now()
    const { kills, ahead_s } = await runUntilDone({ path, smtp_url: mailServer.url, isFaulty }, file)
    const seconds = (performance.now() - began) / 1000
    const rows = file.prepare('SELECT id, channel, status, attempts FROM deliveries').all() as Row[]
    const state = (await (await fetch(`${url}/state`)).json()) as BoxState
    return { state, mails: mailServer.mails, rows, kills, seconds, ahead_s }
  } finally {
    file.close()
    rmSync(dirname(path), { recursive: true, force: true })
    await Promise.all([receivers.close(), mailServer.close()])
  }
}

type Run = { path: string; smtp_url: string; isFaulty: boolean }

/** Restarts the process whenever it was killed; rows under its lease become due when the clock has moved on. */
async function runUntilDone(run: Run, file: DatabaseSync) {
  let [ahead_s, kills] = [0, 0]
  for (;;) {
    const end = await runOnce(run, ahead_s)
    ahead_s = Math.max(ahead_s, end.ahead_s)
    if (!end.isKilled && findNextDue(file) === null) return { kills, ahead_s }
    if (!end.isKilled) throw new Error(`The deliveries ended with something left:\n${end.output}`)
    kills++
  }
}

async function runOnce({ path, smtp_url, isFaulty }: Run, ahead_s: number) {
  const child = spawn(process.execPath, [program, path, String(ahead_s), isFaulty ? '1' : '0', smtp_url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const onData = (data: Buffer) => {
    output += data.toString()
    if (isFaulty && !timer && output.includes('ready'))
      timer = setTimeout(() => child.kill('SIGKILL'), life_ms.least + Math.random() * (life_ms.most - life_ms.least))
  }
  child.stdout.on('data', onData)
  child.stderr.on('data', onData)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  const last = [...output.matchAll(/ahead (\d+)/g)].at(-1)?.[1]
  return { isKilled: child.signalCode === 'SIGKILL', ahead_s: Number(last ?? ahead_s), output }
}
