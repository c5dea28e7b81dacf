import { createHash } from 'node:crypto'
import { formatSourceKey } from '../domain/words/record'
import { resolveAlias } from '../domain/names/product-names'
import type { Source, SourceKey, VulnRecord } from '../domain/words/record'
import { joinName } from './derive'
import type { Ranges } from './derive'
import type { RecordBody } from './record-body'

type OwnRanges = { products: Map<string, Ranges>; packages: Map<string, Ranges> }

const hashLetters = 11
export const isSameHash = (one: string, other: string) => one.slice(0, hashLetters) === other.slice(0, hashLetters)
export const markIn = (hash: string) => `substr(${hash}, ${hashLetters + 1})`

/** The body has no ranges. The hash ends with the mark of the text, which may change although nothing that we read does. */
export type Hashed = { cveid: string; key: SourceKey; record: VulnRecord; body: RecordBody; hash: string } & OwnRanges

export function hashed(source: Source, record: VulnRecord): Hashed {
  const { affected = [], packages = [], mark = '', ...body } = record
  const own = nothingOwn()
  const add = (to: Map<string, Ranges>, name: string, ranges: unknown[], by?: 'cisa') => {
    const known = to.get(name)
    const list = known ? [...(JSON.parse(known.json) as unknown[]), ...ranges] : ranges
    const isBy = by && (!known || known.by === by)
    to.set(name, { json: JSON.stringify(list), count: list.length, ...(isBy && { by }) })
  }
  for (const { ranges, by, ...named } of affected) {
    const { vendor, product } = resolveAlias(named)
    add(own.products, joinName(vendor, product), ranges, by)
  }
  for (const { type, name, ranges } of packages) add(own.packages, joinName(type, name), ranges)
  let all = JSON.stringify(body)
  for (const [name, { json, by = '' }] of [...own.products, ...own.packages]) all += name + json + by
  const hash = createHash('sha256').update(all).digest('base64url').slice(0, hashLetters) + mark
  return { cveid: record.cveid, key: formatSourceKey(source, record.ref), record, body, hash, ...own }
}

export const nothingOwn = (): OwnRanges => ({ products: new Map(), packages: new Map() })

export function newestOfEach(records: VulnRecord[]) {
  const newest = new Map<string, VulnRecord>()
  for (const record of records) {
    const name = `${record.cveid} ${record.ref ?? ''}`
    const other = newest.get(name)
    if (!other || (record.modified ?? '') >= (other.modified ?? '')) newest.set(name, record)
  }
  return [...newest.values()]
}
