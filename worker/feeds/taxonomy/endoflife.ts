import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { jsonElements } from '../read/json-elements'
import { defineFeed } from '../source/feed'
import { readEach, readRecord } from '../source/read-records'
import { saveWhole } from '../source/save-whole'
import { wholeListFeed } from '../source/whole-list'
import { EolProduct } from './endoflife-record'

export const endoflife = defineFeed({
  id: 'endoflife',
  name: 'endoflife.date',
  every_minutes: 1440,
  quiet_days: 7,
  origin: 'https://endoflife.date/api/v1/products/full',
  ...wholeListFeed(50_000_000, async (run, { version, body }) => {
    const { records, skipped } = await readEach(jsonElements(body, 'result'), readProduct)
    const products = new Map(records.map((product) => [product.id, product]))
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
    return saveWhole(run, { version, tables, first: followRenamed(run.db, products), skipped })
  }),
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

const readProduct = (text: string) =>
  readRecord(text, EolProduct, (product) => product, {
    id: /"name"\s*:\s*"([^"]{1,100})"/.exec(text)?.[1] ?? text.slice(0, 60),
  })
