import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from './failure.ts'

const minute_ms = 60_000
const everyMinute = '* * * * *'
const nightly = '17 3 * * *'

/** Cron never fires on the local runtime: this calls it, as Cloudflare would. */
export async function tick(port: number, cron = everyMinute) {
  const url = `http://127.0.0.1:${port}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(10 * minute_ms) })
    if (!reply.ok) console.error(`The cron job "${cron}" failed with ${reply.status}: ${await reply.text()}`)
  } catch (error) {
    console.error(`The cron job "${cron}" could not be called: ${describeError(error)}`)
  }
}

/** Ticks at every full minute; skips minutes while a tick is still running. */
export async function keepTicking(port: number, signal: AbortSignal) {
  while (!signal.aborted) {
    await sleep(minute_ms - (Date.now() % minute_ms), undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const isNight = new Date().toISOString().slice(11, 16) === '03:17'
    await tick(port)
    if (isNight) await tick(port, nightly)
  }
}
