import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInByApi } from '../support/product.ts'
import type { Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'
import type { Figure } from './figures.ts'
import { readTaken } from './heap.ts'
import { openInspector } from './inspector.ts'
import type { Inspector } from './inspector.ts'
import { judgeDocument } from './judge-document.ts'
import { sizes } from './running-base.ts'
import type { RunningBase } from './running-base.ts'

/** Feeds give way to readers for some seconds. */
const quiet_ms = 5_000
const maxRuns = 5

/** Products in affected versions, packages in fixed versions, and as many unknown components. */
function listComponents() {
  const half = sizes.components / 2
  const names = Array.from({ length: sizes.components }, (_, at) => {
    if (at >= half) return { purl: `pkg:npm/nobody-knows-${at}@1.0.1` }
    const cpe = `cpe:2.3:a:${vendorAt(at)}:${productAt(at)}:1.0.1:*:*:*:*:*:*:*`
    return at % 2 ? { purl: `pkg:npm/package${at}@99.0.1` } : { cpe }
  })
  return names.map((name, at) => ({ type: 'library', 'bom-ref': `c${at}`, name: `part${at}`, ...name }))
}

const vendors = Math.ceil(sizes.products / 10)
export const productAt = (at: number) => `product${at + 1}`
export const vendorAt = (at: number) => `vendor${1 + ((at + 1) % vendors)}`

/** Reads a bill of materials while the heap is watched, and a delta after which findings are judged again. */
export async function measureInventories(
  product: Product,
  base: RunningBase,
  inspectorPort: number,
): Promise<Figure[]> {
  const { url } = product
  const inspector = await openInspector(inspectorPort)
  const peak = watchPeak(inspector)
  const { told, meter } = await judgeDocument(url, await signInByApi(url), 'bench', listComponents())
  const taken = await peak.stop()
  inspector.close()
  const trips = Number(/trips=(\d+)/.exec(meter ?? '')?.[1])
  const again = await rejudge(product, base)
  return [
    {
      what: `${sizes.components} components judged`,
      figure: told,
      bound: '5 s',
    },
    {
      what: 'round trips of the request for each 1,000',
      figure: `${(trips / (sizes.components / 1000)).toFixed(1)}; ${String(/"(.*)"/.exec(meter ?? '')?.[1])}`,
      bound: '20',
    },
    { what: 'heap of the isolate meanwhile', figure: `${(taken / 1e6).toFixed(0)} MB`, bound: '100 MB' },
    {
      what: `judging again after a delta of ${sizes.delta} beside the delta`,
      figure: `${again.judged.toFixed(2)} s, ${again.merged.toFixed(2)} s = ${(again.judged / again.merged).toFixed(2)} times; ${again.pairs} pairs`,
      bound: '2 times',
    },
  ]
}

export function watchPeak(inspector: Inspector) {
  const over = new AbortController()
  let peak = 0
  const watching = (async () => {
    for (; !over.signal.aborted; await sleep(100)) peak = Math.max(peak, await readTaken(inspector))
  })()
  return {
    stop: async () => {
      over.abort()
      await watching
      return peak
    },
  }
}

/** A feed brings vulnerabilities of the inventory's components: how long reading and merging take, and the judging afterwards. */
async function rejudge(product: Product, { file, arrive }: RunningBase) {
  const client = await signInByApi(product.url)
  const now = new Date().toISOString().slice(0, 19)
  arrive(
    Array.from({ length: sizes.delta }, (_, at) =>
      aCve(`CVE-2026-${200_000 + at}`, {
        published: now,
        lastModified: now,
        configurations: affecting(
          aMatch(vendorAt(2 * (at % (sizes.components / 4))), productAt(2 * (at % (sizes.components / 4))), {
            versionEndExcluding: '2.0',
          }),
        ),
      }),
    ),
  )
  await sleep(quiet_ms)
  const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const read = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)
  const last = read('SELECT max(id) FROM feed_runs')
  const before = read('SELECT count(*) FROM inventory_findings')
  const arrived = `FROM feed_runs WHERE feed_id = 'nvd' AND id > ${last} AND finished_at IS NOT NULL`
  const lastError = () => String(db.prepare(`SELECT error ${arrived} ORDER BY id DESC`).get()?.error)
  let began = 0
  // A run that had already begun misses the delta.
  for (let runs = 0; read(`SELECT coalesce(sum(changed), 0) ${arrived}`) === 0; runs++) {
    if (runs === maxRuns) throw new Error(`The delta was not read: ${lastError()}`)
    began = performance.now()
    await client.post('/api/data/sync/run?feed=nvd')
    while (read(`SELECT count(*) ${arrived}`) === runs) await sleep(20)
  }
  const merged = performance.now()
  // The merge has sent a message to the judges; the clock would come only a minute later.
  for (let turn = 0; read('SELECT count(*) FROM inventory_due') > 0; turn++) {
    if (turn % 50 === 0) await product.tick()
    await sleep(20)
  }
  const judged = performance.now()
  const pairs = read('SELECT count(*) FROM inventory_findings') - before
  db.close()
  return { merged: (merged - began) / 1000, judged: (judged - merged) / 1000, pairs }
}
