import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { following, idSpan, mergeNewest } from './newest'

/** An index in which the vulnerabilities of each `key` stand by the time they were touched. */
export type Sorted = {
  index: string
  key: SQL
  /** Which rows the index holds, spelled out, else it is not used. */
  where?: SQL
}

export const shown = sql`state <> 'rejected'`

/** The newest that have any of the keys (a table of `item`): a merge of as many sorted lists. */
export function newestOfKeys({ index, key, where = sql`true` }: Sorted, items: SQL) {
  const newest = (condition: SQL) => sql`(
    select updated_at * ${idSpan} + id from vulns indexed by ${sql.raw(index)} where ${shown} and ${where} and ${condition}
    order by updated_at desc, id desc limit 1)`
  const next = following((condition) => newest(sql`${key} = w.item and ${condition}`), sql`updated_at`, sql`id`)
  return mergeNewest({
    rows: sql`select 0 as kind, item, ${newest(sql`${key} = i.item`)} as key from ${items} i`,
    next,
  })
}
