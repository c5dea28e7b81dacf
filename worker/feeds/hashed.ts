import { createHash } from 'node:crypto'
import type { VulnRecord } from '../domain/record'
import { nameOf } from '../vulns/derive'
import type { Ranges } from '../vulns/derive'

/** A record as it is stored: its affected ranges apart by product, and a hash over all of it. */
export type Hashed = { record: VulnRecord; hash: string; body: string; ranges: Map<string, Ranges> }

export function hashed(record: VulnRecord): Hashed {
  const { affected = [], ...rest } = record
  const body = JSON.stringify(rest)
  const sum = createHash('sha256').update(body)
  const ranges = new Map<string, Ranges>()
  for (const { vendor, product, ranges: list } of affected) {
    const [name, json] = [nameOf(vendor, product), JSON.stringify(list)]
    ranges.set(name, { json, count: list.length })
    sum.update(name).update(json)
  }
  return { record, body, ranges, hash: sum.digest('base64url').slice(0, 22) }
}

/** Of several copies of one vulnerability the newest. */
export function newestOfEach(records: VulnRecord[]) {
  const newest = new Map<string, VulnRecord>()
  for (const record of records) {
    const other = newest.get(record.cveid)
    if (!other || (record.modified ?? '') >= (other.modified ?? '')) newest.set(record.cveid, record)
  }
  return [...newest.values()]
}
