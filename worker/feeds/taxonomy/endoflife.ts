import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { jsonElements } from '../read/json-elements'
import { WholeCursor } from '../source/commit-whole'
import { defineFeed } from '../source/feed'
import { openList } from '../source/open-list'
import { saveWhole } from '../source/save-whole'
import type { Skip } from '../source/skip'
import { EolProduct } from './endoflife-record'

const maxBytes = 50_000_000
const keptBody = 20_000

export const endoflife = defineFeed({
  id: 'endoflife',
  name: 'endoflife.date',
  every_minutes: 1440,
  quiet_days: 7,
  origin: 'https://endoflife.date/api/v1/products/full',
  cursor: WholeCursor,
  async step(run, cursor) {
    const { origin } = run
    const source = await openList(origin, cursor, maxBytes)
    if (source.kind === 'unchanged') return { cursor: source.cursor, done: true }

    const skipped: Skip[] = []
    const products = new Map<string, EolProduct>()
    for await (const text of jsonElements(source.body, 'result')) {
      const read = readProduct(text)
      if ('reason' in read) skipped.push({ ...read, body: text.slice(0, keptBody) })
      else products.set(read.id, read)
    }
    const tables = [
      {
        name: 'lifecycles',
        key: ['id'],
        columns: ['label', 'releases', 'words'],
        of: 'id',
        rows: [...products.values()].map(({ id, label, releases, words }) => [
          id,
          label,
          JSON.stringify(releases),
          JSON.stringify(words),
        ]),
      },
      {
        name: 'lifecycle_names',
        key: ['kind', 'first', 'name', 'lifecycle_id'],
        columns: [],
        of: 'lifecycle_id',
        kept: 'confirmed_by IS NOT NULL',
        rows: [...products.values()].flatMap(({ id, names }) => [...names.values()].map((name) => [...name, id])),
      },
    ]
    const unread = skipped.map(({ record_id }) => record_id)
    const first = followRenamed(run.db, products)
    return saveWhole(run, { origin, version: source.version, tables, first, skipped, unread })
  },
})

/** Confirmations and news under the name that is an alias now go on under the new one. */
const followRenamed = (db: Db, products: Map<string, EolProduct>) =>
  ['lifecycle_names', 'support_told'].flatMap((table) =>
    bulk(
      db,
      `UPDATE OR IGNORE ${table} SET lifecycle_id = k.id FROM (
         SELECT j.value->>0 AS alias, j.value->>1 AS id FROM jsonb_each(?1) j CROSS JOIN lifecycles l ON l.id = j.value->>0) k
       WHERE lifecycle_id = k.alias`,
      [...products.values()].flatMap(({ id, aliases }) =>
        aliases.flatMap((alias) => (products.has(alias) ? [] : [[alias, id]])),
      ),
    ),
  )

type EolProduct = ReturnType<typeof EolProduct.parse>

function readProduct(text: string): EolProduct | { record_id: string; reason: string } {
  const record_id = /"name"\s*:\s*"([^"]{1,100})"/.exec(text)?.[1] ?? text.slice(0, 60)
  try {
    const { data, error } = EolProduct.safeParse(JSON.parse(text))
    const [issue] = error?.issues ?? []
    return data ?? { record_id, reason: `${issue?.path.join('.')}: ${issue?.message}` }
  } catch {
    return { record_id, reason: 'not valid JSON' }
  }
}
