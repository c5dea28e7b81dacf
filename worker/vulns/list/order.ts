import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Field } from '../../domain/query/fields'
import { params } from '../../domain/query/params'
import type { VulnQuery } from '../contract'
import { filters } from './filters'

const newestFirst = 'updated_at'

/** Keys by which all vulnerabilities are sorted, and the index that has them; without one it is that of the ids. */
export type ListOrder = {
  kind: 'keys'
  keys: SQL[]
  direction: SQL
  index: string | undefined
  isNewestFirst: boolean
}
/** What is true of a vulnerability comes before, or after, what is not; each part newest first. */
export type FlagOrder = { kind: 'flag'; field: Field; isTrueFirst: boolean }

/** What has the same keys goes by its id. Relevance is an order of words; without any, the newest come first. */
export function findOrder(sorted_by: VulnQuery['sorted_by']): ListOrder | FlagOrder {
  const name = sorted_by.replace(/^-/, '').replace('relevance', newestFirst)
  const isDescending = sorted_by.startsWith('-') || sorted_by === 'relevance'
  const field = params.get(name)?.field
  const order = field && filters[field].order
  if (!field || !order) throw new Error(`Nothing is sorted by ${name}`)
  if (order === 'flag') return { kind: 'flag', field, isTrueFirst: isDescending }

  const keys = [...order.keys, sql`vulns.id`]
  const direction = isDescending ? sql`desc` : sql`asc`
  return { kind: 'keys', keys, direction, index: order.index, isNewestFirst: isDescending && name === newestFirst }
}

export const orderBy = (keys: SQL[], direction: SQL) =>
  sql.join(
    keys.map((key) => sql`${key} ${direction}`),
    sql`, `,
  )
