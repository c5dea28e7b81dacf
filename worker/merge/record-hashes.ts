import { createHash } from 'node:crypto'
import { formatSourceKey } from '../domain/words/record'
import { resolveAlias } from '../domain/names/product-names'
import { packRanges } from '../domain/versions/stored-ranges'
import type { AffectedRange, Source, SourceKey, VulnRecord } from '../domain/words/record'
import { joinName, type Ranges } from './derive'
import { kinds } from './kinds'
import type { RecordBody } from './record-body'

type OwnRanges = { products: Map<string, Ranges>; packages: Map<string, Ranges> }

const hashLetters = 11
export const isSameHash = (one: string, other: string) => one.slice(0, hashLetters) === other.slice(0, hashLetters)
export const markIn = (hash: string) => `substr(${hash}, ${hashLetters + 1})`

/** The body has no ranges. The hash ends with the mark of the text, which may change although nothing that we read does. */
export type Hashed = { cveid: string; key: SourceKey; record: VulnRecord; body: RecordBody; hash: string } & OwnRanges

export function hashed(source: Source, record: VulnRecord): Hashed {
  const { affected = [], packages = [], mark = '', ...body } = record
  const given = { products: new Map<string, Given>(), packages: new Map<string, Given>() }
  const add = (to: Map<string, Given>, name: string, ranges: AffectedRange[], by?: 'cisa') => {
    const known = to.get(name)
    to.set(name, {
      ranges: known ? [...known.ranges, ...ranges] : ranges,
      by: !known || known.by === by ? by : undefined,
    })
  }
  for (const { ranges, by, ...named } of affected) {
    const { vendor, product } = resolveAlias(named)
    add(given.products, joinName(vendor, product), ranges, by)
  }
  for (const { type, name, ranges } of packages) add(given.packages, joinName(type, name), ranges)
  let all = JSON.stringify(body)
  const own = nothingOwn()
  for (const { kind } of kinds)
    for (const [name, { ranges, by }] of given[kind]) {
      all += name + JSON.stringify(ranges) + (by ?? '')
      own[kind].set(name, { json: packRanges(ranges), count: ranges.length, ...(by && { by }) })
    }
  const hash = createHash('sha256').update(all).digest('base64url').slice(0, hashLetters) + mark
  return { cveid: record.cveid, key: formatSourceKey(source, record.ref), record, body, hash, ...own }
}
type Given = { ranges: AffectedRange[]; by: 'cisa' | undefined }

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
