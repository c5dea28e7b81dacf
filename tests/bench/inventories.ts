import { DatabaseSync } from 'node:sqlite'
import { signInByApi, type Product, type ApiClient } from '../support/product.ts'
import type { Figure } from './figures.ts'
import { openInspector, watchPeak } from './inspector.ts'
import { sizes, type RunningBase } from './running-base.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { aCve, affecting, aMatch } from '../support/records.ts'

/** Existing vendors and products have lower numbers. */
const id = 50_000
const flaws = 5_000
const planted_at = '2026-01-01T00:00:00Z'

/** A product with thousands of vulnerabilities, each in several branches. */
export function plantKernel({ file }: RunningBase) {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${flaws - 1})`
  const branch = (add: number) => `(2 + (i + ${add}) % 5) || '.' || ((i * 3 + ${add}) % 20)`
  const range = (add: number) =>
    `'{"order":"loose","ge":"' || ${branch(add)} || '","lt":"' || ${branch(add)} || '.' || (1 + (i * 7 + ${add}) % 250) || '"}'`
  for (const sql of [
    `INSERT INTO vendors(id, name, products_count, vulns_count, updated_at) VALUES (${id}, 'linux', 1, ${flaws}, '${planted_at}')`,
    `INSERT INTO products(id, vendor_id, vendor, name, vulns_count, updated_at) VALUES (${id}, ${id}, 'linux', 'linux_kernel', ${flaws}, '${planted_at}')`,
    `${numbers} INSERT OR IGNORE INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) SELECT 2000 + i, ${id}, ${id}, 0, 1 FROM n`,
    `${numbers} INSERT OR IGNORE INTO affected(vuln_id, product_id, source, ranges)
     SELECT 2000 + i, ${id}, 'nvd', '[' || ${[0, 1, 2, 3].map(range).join(" || ',' || ")} || ']' FROM n`,
  ])
    db.exec(sql)
  db.close()
}

/** The CPE name of one of its versions. */
export const kernelAt = (index: number, patch = 0) =>
  `cpe:2.3:o:linux:linux_kernel:${2 + (index % 5)}.${index % 23}.${(index + patch) % 997}:*:*:*:*:*:*:*`

/** From sending a document until all of it is judged: one kernel, a thousand, and a large document. */
export async function measureKernels({ url }: Product, inspectorPort: number): Promise<Figure[]> {
  const client = await signInByApi(url)
  const inspector = await openInspector(inspectorPort)
  const peak = watchPeak(inspector)
  const judge = async (name: string, cpes: string[]) => {
    const components = cpes.map((cpe, index) => ({ type: 'library', name: `part${index}`, cpe }))
    return (await judgeDocument(url, client, name, components)).told
  }
  const one = await judge('kernel', [kernelAt(1_031)])
  const many = await judge(
    'kernels',
    Array.from({ length: 1_000 }, (_, index) => kernelAt(index)),
  )
  const large = Array.from({ length: 20_000 }, (_, index) => {
    const item = index % sizes.products
    return `cpe:2.3:a:${vendorAt(item)}:${productAt(item)}:1.0.${index % 3}:*:*:*:*:*:*:*`
  })
  const document = await judge('large', large)
  const taken = await peak.stop()
  inspector.close()
  return [
    { what: `a Linux kernel of ${flaws} vulnerabilities judged`, figure: one, bound: '0.4 s' },
    { what: 'a thousand of its versions', figure: many, bound: '20 s' },
    { what: 'a document of 20,000 components', figure: document, bound: '30 s' },
    { what: 'heap of the isolate beside the kernels', figure: `${(taken / 1e6).toFixed(0)} MB`, bound: '100 MB' },
  ]
}

/** As a screen asks: one that asks more often is itself what is measured. */
const [soon_ms, often_ms] = [20, 1_000]

/** Sends a document and waits until all of it is judged. */
async function judgeDocument(url: string, { authorization, get }: ApiClient, name: string, components: object[]) {
  const began = performance.now()
  const response = await fetch(`${url}/api/inventories/${name}`, {
    method: 'PUT',
    headers: { authorization },
    body: JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }),
  })
  if (!response.ok) throw new Error(`The inventory answered ${response.status}: ${await response.text()}`)
  const answered = performance.now()
  const read = () => get<{ pending_count: number; open: Record<string, number> }>(`/api/inventories/${name}`)
  let state = await read()
  for (; state.pending_count > 0; state = await read())
    await sleep(Math.min(often_ms, Math.max(soon_ms, (performance.now() - began) / 10)))
  const [total, first] = [performance.now() - began, answered - began].map((ms) => (ms / 1000).toFixed(2))
  const open = Object.values(state.open).reduce((sum, count) => sum + count, 0)
  return {
    told: `${total} s, answered after ${first} s, ${open} vulnerabilities`,
    meter: response.headers.get('server-timing'),
  }
}

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
const productAt = (at: number) => `product${at + 1}`
const vendorAt = (at: number) => `vendor${1 + ((at + 1) % vendors)}`

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
