import { join } from 'node:path'
import { databaseFile } from '../support/database.ts'
import { startProduct, untilFeeds, type ApiClient, type FeedState } from '../support/product.ts'
import { noteFigures } from './figures.ts'
import { limitMemory } from './inspector.ts'
import { warmMirror } from './mirrored.ts'
import { fileSize, readLoad, size, type BenchPlace } from './place.ts'
import { rawLoad } from './raw-load.ts'

// The throttle counts but allows a thousand times the usual rate, because one reader asks as fast as it can.
export const env = { METER: '1', RATE_SCALE: '1000' }

/** The first load of every feed, which all other parts need; the clock retries failed feeds. */
export async function loadFeeds({ work, feeds, state }: BenchPlace) {
  await warmMirror(feeds, join(state, 'mirror'))
  const product = await startProduct({ feeds, state, env: { ...env, ...limitMemory(128) } })
  const loaded = await untilFeeds(product.url, isLoaded, 3_000, 20)
  await product.kill()

  for (const { id, state: end, records, skipped, last_error } of loaded.values())
    console.log(`    ${id}: ${end}, ${records} records, ${skipped} skipped${last_error ? `, ${last_error}` : ''}`)
  const { seconds, vulns, changed } = readLoad(databaseFile(state))
  const raw = rawLoad(databaseFile(state), join(work, 'raw.sqlite'))
  const skipped = [...loaded.values()].reduce((sum, feed) => sum + feed.skipped, 0)
  noteFigures('load', [
    {
      what: 'first load of all feeds',
      figure: `${seconds.toFixed(1)} s, ${vulns} vulnerabilities, ${changed} merges`,
    },
    { what: 'raw load of the same rows', figure: `${raw.seconds.toFixed(1)} s, ${raw.rows} rows` },
    { what: 'first load beside it', figure: `${(seconds / raw.seconds).toFixed(2)} times`, bound: '3 times' },
    { what: 'records skipped', figure: String(skipped) },
    { what: 'database', figure: size(fileSize(databaseFile(state)), vulns), bound: '2.6 kB' },
  ])
  return product.port
}

export async function runAll(url: string, client: ApiClient, ids: string[]) {
  for (const id of ids) {
    const last = (await untilFeeds(url, () => true)).get(id)?.started_at
    await client.post(`/api/data/sync/run?feed=${id}`)
    await untilFeeds(
      url,
      (all) => {
        const feed = all.get(id)
        return feed !== undefined && feed.state !== 'running' && feed.started_at !== last
      },
      1_200,
    )
  }
}

export function isLoaded(all: Map<string, FeedState>) {
  return [...all.values()].every(({ state, last_success }) => state === 'idle' && last_success !== null)
}
