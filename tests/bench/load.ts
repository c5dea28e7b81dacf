import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentHashes, databaseFile } from '../support/database.ts'
import { signInByApi, startProduct, untilFeeds, type ApiClient, type FeedState } from '../support/product.ts'
import { runCveList, writeDelta, warmCveList, warmMirror } from './delta.ts'
import { noteFigures } from './figures.ts'
import { limitMemory } from './inspector.ts'
import { fileSize, readLoad, size, type BenchPlace } from './place.ts'
import { rawLoad, rawUpsert } from './raw-load.ts'

export const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
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
  const raw = rawLoad(databaseFile(state), migrations, join(work, 'raw.sqlite'))
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
  return { port: product.port, ids: [...loaded.keys()] }
}

/** The changes of a second reading and a re-merge, and of a delta of 1,000 changed and 20,000 unchanged records. */
export async function measureDelta({ feeds, state }: BenchPlace, { port, ids }: { port: number; ids: string[] }) {
  const before = contentHashes(state)
  const product = await startProduct({ feeds, state, env, port })
  const client = await signInByApi(product.url)
  await runAll(product.url, client, ids)
  const again = await untilFeeds(product.url, isLoaded)
  const changedAgain = [...again.values()].reduce((sum, one) => sum + one.changed, 0)
  await runAll(product.url, client, ['remerge'])
  const merged = (await untilFeeds(product.url, isLoaded)).get('remerge')
  const after = contentHashes(state)
  const differing = Object.keys(before).filter((part) => before[part] !== after[part])

  const { cveids, changed } = writeDelta(feeds)
  await warmCveList(feeds, join(state, 'mirror'))
  const delta = await runCveList(product.url, databaseFile(state))
  await product.kill()
  const raw = rawUpsert(databaseFile(state), cveids, changed)
  noteFigures('delta', [
    { what: 'records that a second sync changed', figure: String(changedAgain), bound: '0' },
    { what: 'vulnerabilities that a re-merge of all changed', figure: String(merged?.changed), bound: '0' },
    { what: 'parts of the knowledge base that differ then', figure: differing.join(', ') || 'none', bound: 'none' },
    { what: `delta of ${delta.records} records, ${delta.changed} changed`, figure: `${delta.seconds.toFixed(2)} s` },
    { what: 'raw upsert of the same', figure: `${raw.seconds.toFixed(2)} s` },
    { what: 'delta beside it', figure: `${(delta.seconds / raw.seconds).toFixed(2)} times`, bound: '3 times' },
  ])
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
