import type { ReactNode } from 'react'

/** The order after the first click on the header, and after the second if it has two. */
export type Orders<Sort> = readonly [Sort] | readonly [Sort, Sort]

export type Column<Row, Sort extends string = never> = {
  label: string
  cell: (row: Row) => ReactNode
  sort?: Orders<Sort>
  /** A second order by what stands in the same cell. */
  also?: { label: string; sort: Orders<Sort> }
  width?: number
  /** Stands under the numbers of other rows by its last digit. */
  isNumber?: boolean
  /** Its place in a card, which a row becomes on a narrow screen: the first line, a line of its own, or none. */
  inCard?: 'lead' | 'wide' | 'none'
}

/** `rows` is undefined while it loads. */
export type Listing<Row> = {
  rows: Row[] | undefined
  /** There are rows, on pages before. */
  isPastTheEnd?: boolean
  isUpdating?: boolean
  error?: Error | null
  refetch?: () => unknown
}

type Counted = { count?: number; looked_at?: number | null }
export type PageQuery<Row, Count extends Counted = Counted> = {
  data: (Count & { results: Row[] }) | undefined
  isPlaceholderData: boolean
  error: Error | null
  refetch: () => unknown
}

export function listingFrom<Row>({ data, isPlaceholderData, error, refetch }: PageQuery<Row>): Listing<Row> {
  // A list that stopped before its end has counted what it has looked at.
  const isPastTheEnd = data?.results.length === 0 && (data.count ?? 0) > 0 && (data.looked_at ?? null) === null
  return { rows: data?.results, isPastTheEnd, isUpdating: isPlaceholderData, error, refetch }
}
