import { DatabaseSync } from 'node:sqlite'
import { signInByApi } from '../support/product.ts'
import type { Product } from '../support/product.ts'
import type { Figure } from './figures.ts'
import { openInspector } from './inspector.ts'
import { productAt, vendorAt, watchPeak } from './inventories.ts'
import { judgeDocument } from './judge-document.ts'
import { sizes } from './running-base.ts'
import type { RunningBase } from './running-base.ts'

/** Existing vendors and products have lower numbers. */
const id = 50_000
const flaws = 5_000
const at = '2026-01-01T00:00:00Z'

/** A product with thousands of vulnerabilities, each in several branches. */
export function plantKernel({ file }: RunningBase) {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${flaws - 1})`
  const branch = (add: number) => `(2 + (i + ${add}) % 5) || '.' || ((i * 3 + ${add}) % 20)`
  const range = (add: number) =>
    `'{"order":"loose","ge":"' || ${branch(add)} || '","lt":"' || ${branch(add)} || '.' || (1 + (i * 7 + ${add}) % 250) || '"}'`
  for (const sql of [
    `INSERT INTO vendors(id, name, products_count, vulns_count, updated_at) VALUES (${id}, 'linux', 1, ${flaws}, '${at}')`,
    `INSERT INTO products(id, vendor_id, vendor, name, vulns_count, updated_at) VALUES (${id}, ${id}, 'linux', 'linux_kernel', ${flaws}, '${at}')`,
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
