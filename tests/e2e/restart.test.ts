import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { root } from '../../scripts/start/options.ts'
import { contentHashes } from '../support/database.ts'
import { feedsFolder } from '../support/feeds-folder.ts'
import { freePort, signInByApi, startProduct, untilFeeds } from '../support/product.ts'
import type { ApiClient, FeedState, Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'

const records = Array.from({ length: 3_000 }, (_, at) =>
  aCve(`CVE-${2020 + (at % 6)}-${10_000 + at}`, {
    configurations: affecting(aMatch(`vendor_${at % 50}`, `product_${at % 400}`, { versionEndExcluding: `${at}.0` })),
  }),
)
const feeds = feedsFolder(records)
const running: Product[] = []
afterEach(async () => {
  for (const product of running.splice(0)) await product.kill()
})

type Probed = { code?: number; stdout: string }
const PROBE_TOKEN = 'the word of the operator'
const probe = (url: string) =>
  promisify(execFile)(process.execPath, ['scripts/probe.ts', url, '--report'], {
    cwd: root,
    env: { ...process.env, PROBE_TOKEN },
  }).catch((error: Probed) => error) as Promise<Probed>

/** The clock goes on; a run that the kill made fail is started again rather than waited for. */
async function goOnUntil(load: { isOver: boolean }, product: Product, client: ApiClient) {
  while (!load.isOver) {
    await sleep(2_000)
    await product.tick()
    const { feeds: all } = await client.get<{ feeds: FeedState[] }>('/api/data/sync/info')
    for (const { id, state } of all) if (state === 'failed') await client.post(`/api/data/sync/run?feed=${id}`)
  }
}

// Asking more often would count as reading and slow the load down.
const seldom_s = 1.6

const isLoaded = (all: Map<string, FeedState>) => [...all.values()].every(({ last_success }) => last_success !== null)

test(
  'a load that is killed in the middle and started again ends with the same rows',
  { timeout: 300_000 },
  async () => {
    const whole = await startProduct({ feeds: feeds.folder, env: { PROBE_TOKEN } })
    running.push(whole)
    await untilFeeds(whole.url, isLoaded, 120, seldom_s)
    await whole.tick()
    const seen = await probe(whole.url)
    expect([seen.code, seen.stdout.match(/^ok .* ms$/gm)?.length, seen.stdout]).toEqual([undefined, 4, seen.stdout])
    const status = (await (await fetch(`${whole.url}/api/public/status`)).json()) as { objectives: object[] }
    expect(status.objectives).toContainEqual(expect.objectContaining({ id: 'outside', now: 'good', value: 100 }))
    await whole.kill()
    const unseen = await probe(whole.url)
    expect([unseen.code, unseen.stdout.match(/^FAIL/gm)?.length]).toEqual([1, 4])

    const port = await freePort()
    const cut = await startProduct({ feeds: feeds.folder, port })
    running.push(cut)
    await untilFeeds(cut.url, (all) => (all.get('nvd')?.records ?? 0) >= 1_000, 60)
    await cut.kill('SIGKILL')

    const again = await startProduct({ feeds: feeds.folder, port, state: cut.state })
    running.push(again)
    const atRestart = await untilFeeds(again.url, () => true)
    expect(atRestart.get('nvd')?.records).toBeLessThan(records.length)
    const client = await signInByApi(again.url)
    const load = { isOver: false }
    const loaded = untilFeeds(again.url, isLoaded, 180, seldom_s).finally(() => (load.isOver = true))
    await Promise.all([loaded, goOnUntil(load, again, client)])
    await again.kill()

    expect(contentHashes(again.state)).toEqual(contentHashes(whole.state))
  },
)
