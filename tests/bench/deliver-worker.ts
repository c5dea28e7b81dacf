// `node tests/bench/deliver-worker.ts <database> <seconds that the clock is ahead> <faults: 0 or 1> <address of SMTP>`: the Worker's deliveries in
// a process of its own, which may be killed, with queue and database that fail, until nothing waits.
import { DatabaseSync } from 'node:sqlite'
import { deliveryEnv, findNextDue, importDelivery } from './delivery-base.ts'

const [path = '', ahead_s = '0', isFaulty = '0', smtp_url = ''] = process.argv.slice(2)
const { deliverDue, openDb } = await importDelivery()

/** Shares of database queries that fail before or after their work, and of messages that are lost or doubled. */
const faults =
  isFaulty === '1' ? { overloaded: 0.005, lost: 0.2, doubled: 0.2 } : { overloaded: 0, lost: 0, doubled: 0 }
const consumers = 2

const file = new DatabaseSync(path, { timeout: 60_000 })
file.exec('PRAGMA synchronous = NORMAL')
let ahead_ms = Number(ahead_s) * 1000
const clock = () => new Date(Date.now() + ahead_ms)

const messages: unknown[] = []
const send = async (message: unknown) => {
  const copies = Math.random() < faults.lost ? 0 : Math.random() < faults.doubled ? 2 : 1
  messages.push(...Array.from({ length: copies }, () => message))
}
const interrupt = () => {
  if (Math.random() < faults.overloaded) throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
}
const env = deliveryEnv(file, { send, interrupt, smtp_url })
console.error = () => undefined
console.warn = () => undefined

/** Takes messages in any order and repeats failed ones, like the queue. */
async function consume() {
  while (messages.length) {
    const [message] = messages.splice(Math.floor(Math.random() * messages.length), 1)
    await deliverDue(env, openDb(env), clock).catch(() => send(message))
  }
}

console.log('ready')
for (;;) {
  await Promise.all(Array.from({ length: consumers }, consume))
  const next = findNextDue(file)
  if (next === null) break
  if (next > clock().getTime()) {
    ahead_ms += next - clock().getTime() + 1_000
    console.log(`ahead ${Math.ceil(ahead_ms / 1000)}`)
  }
  // The messages of the clock and of other consumers.
  for (let asked = 0; asked < consumers; asked++) await send({ reason: 'due' })
}
console.log('done')
process.exit(0)
