import { setTimeout as sleep } from 'node:timers/promises'
import { feedsFolder } from '../support/feeds-folder.ts'
import { startMailServer } from '../support/mail-server.ts'
import { signInByApi, startProduct, untilFeeds } from '../support/product.ts'
import { aCve } from '../support/records.ts'
import type { Figure } from './figures.ts'

const rounds = 20
const minute_s = 60

/**
 * The time from a feed's request to the mail that a real SMTP server accepted; and the same with the time
 * that a due feed waits for the clock of every minute.
 */
export async function measureMailDelay(): Promise<Figure[]> {
  const mail = await startMailServer()
  const feeds = feedsFolder([aCve('CVE-2026-10001')])
  const env = { SMTP_URL: mail.url, ADMIN_EMAIL: 'analyst@example.org', RATE_SCALE: '1000' }
  const product = await startProduct({ feeds: feeds.folder, env })
  try {
    const isIdle = (all: Map<string, { state: string; last_success: string | null }>) =>
      [...all.values()].every(({ last_success, state }) => last_success !== null && state === 'idle')
    await untilFeeds(product.url, isIdle, 120)
    const client = await signInByApi(product.url)
    await client.post('/api/monitor/product/toggle', { vendor_name: 'acme', product_name: 'widget', monitored: true })

    const taken_s: number[] = []
    for (let round = 0; round < rounds; round++) {
      const id = `CVE-2026-${20_001 + round}`
      const now = new Date().toISOString().slice(0, 19)
      feeds.arrive([aCve(id, { lastModified: now, published: now })])
      const began = Date.now()
      await client.post('/api/data/sync/run?feed=nvd', {})
      while (!mail.mails.some(({ subject }) => subject.includes(id))) {
        if (Date.now() - began > 300_000) throw new Error(`No mail of ${id}`)
        await sleep(20)
      }
      taken_s.push((Date.now() - began) / 1000)
      await untilFeeds(product.url, isIdle, 120)
    }
    const waited_s = taken_s.flatMap((one) => Array.from({ length: 100 }, () => one + Math.random() * minute_s))
    return [
      { what: 'from asking a feed to the accepted mail', figure: percentiles(taken_s) },
      { what: 'and with the wait for the clock of a minute', figure: percentiles(waited_s), bound: 'p95 90 s' },
    ]
  } finally {
    await product.kill()
    await mail.close()
  }
}

function percentiles(seconds: number[]) {
  const ordered = seconds.toSorted((a, b) => a - b)
  const at = (share: number) => (ordered[Math.floor(share * (ordered.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} s, p95 ${at(0.95)} s`
}
