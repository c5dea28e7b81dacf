// `node deliver-child.ts <database> <seconds that the clock is ahead> <address of SMTP>`: the Worker's deliveries with a queue that loses a fifth of
// its messages and doubles a fifth, until nothing waits. The clock goes on to what is due next.
import { DatabaseSync } from 'node:sqlite'
import { findNextDue, importDelivery, testEnv } from './delivery-base.ts'
import { sqliteLimits } from './sqlite-d1.ts'

const [path = '', ahead_s = '0', smtp_url = ''] = process.argv.slice(2)
const { deliverDue, openDb } = await importDelivery()
const file = new DatabaseSync(path, { timeout: 60_000, limits: sqliteLimits })
file.exec('PRAGMA synchronous = NORMAL')
let ahead_ms = Number(ahead_s) * 1000
const clock = () => new Date(Date.now() + ahead_ms)
const messages: unknown[] = []
const send = async (message: unknown) => {
  const copies = Math.random() < 0.2 ? 0 : Math.random() < 0.2 ? 2 : 1
  messages.push(...Array.from({ length: copies }, () => message))
}
const env = testEnv(file, { send, smtp_url })
console.error = console.warn = () => undefined

async function consume() {
  while (messages.length) {
    const [message] = messages.splice(Math.floor(Math.random() * messages.length), 1)
    await deliverDue(env, openDb(env), clock).catch(() => send(message))
  }
}

console.log('ready')
for (;;) {
  // The messages of the clock and of other consumers.
  for (let asked = 0; asked < 2; asked++) messages.push({ reason: 'due' })
  await Promise.all([consume(), consume()])
  const next = findNextDue(file)
  if (next === null) break
  if (next > clock().getTime()) {
    ahead_ms += next - clock().getTime() + 1_000
    console.log(`ahead ${Math.ceil(ahead_ms / 1000)}`)
  }
}
process.exit(0)
