import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { signIn } from '../support/product.ts'
import type { Product } from '../support/product.ts'
import { look } from './heap.ts'
import { openInspector } from './inspector.ts'
import { compareRoute } from './latency.ts'
import type { Line } from './latency.ts'

const components = 5_000
const due = 1_000

/** Packages of the knowledge base in a version that most of their ranges hold, and as many that nobody knows. */
function aBom(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const known = db
    .prepare(
      "SELECT type, name FROM packages WHERE type IN ('npm', 'pypi', 'gem', 'cargo') ORDER BY vulns_count DESC LIMIT ?",
    )
    .all(components / 2)
  db.close()
  const purls = [
    ...known.map(({ type, name }) => `pkg:${String(type)}/${String(name).replace('@', '%40')}@1.0.1`),
    ...Array.from({ length: components - known.length }, (_, at) => `pkg:npm/nobody-knows-${at}@1.0.1`),
  ]
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    components: purls.map((purl, at) => ({ type: 'library', 'bom-ref': `c${at}`, name: `part${at}`, purl })),
  })
}

/** A bill of materials of 5,000 components while the heap is watched, its findings beside a row, and what a merge touches. */
export async function measureInventories(product: Product, file: string, inspectorPort: number): Promise<Line[]> {
  const { url } = product
  const { authorization } = await signIn(url)
  const inspector = await openInspector(inspectorPort)
  const peak = watchPeak(() => look(inspector))
  const began = performance.now()
  const response = await fetch(`${url}/api/inventories/bench`, {
    method: 'PUT',
    headers: { authorization },
    body: aBom(file),
  })
  const { findings } = (await response.json()) as { findings: { new: { count: number } } }
  const seconds = (performance.now() - began) / 1000
  const taken = await peak.stop()
  inspector.close()
  const queries = /queries=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? '?'
  const page = await compareRoute(url, '/api/inventories/bench/findings?limit=20')
  const again = await rejudge(product, file)
  return [
    [`${components} components judged (at most 5 s)`, `${seconds.toFixed(2)} s, ${findings.new.count} findings`],
    ['    its queries of the database (at most 20 a thousand)', queries],
    ['    heap of the isolate meanwhile (at most 100 MB)', `${(taken / 1e6).toFixed(0)} MB`],
    ['findings page (at most 3x)', page],
    [
      `judging ${due} vulnerabilities again (at most twice their delta)`,
      `${again.seconds.toFixed(2)} s, ${again.pairs} pairs`,
    ],
  ]
}

function watchPeak(read: () => Promise<{ taken: number }>) {
  const over = new AbortController()
  let peak = 0
  const watching = (async () => {
    for (; !over.signal.aborted; await sleep(100)) peak = Math.max(peak, (await read()).taken)
  })()
  return {
    stop: async () => {
      over.abort()
      await watching
      return peak
    },
  }
}

/** What a merge of 1,000 vulnerabilities notes, and how long the clock takes to judge it. */
async function rejudge(product: Product, file: string) {
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA busy_timeout = 10000; INSERT OR IGNORE INTO inventory_due(org_id, inventory_id, component_id, vuln_id)
    SELECT org_id, inventory_id, component_id, vuln_id FROM inventory_findings
    WHERE vuln_id IN (SELECT DISTINCT vuln_id FROM inventory_findings LIMIT ${due})`)
  const left = () => Number(db.prepare('SELECT count(*) AS count FROM inventory_due').get()?.count)
  const pairs = left()
  const began = performance.now()
  while (left() > 0) await product.tick()
  const seconds = (performance.now() - began) / 1000
  db.close()
  return { seconds, pairs }
}
