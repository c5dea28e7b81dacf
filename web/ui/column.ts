import type { ReactNode } from 'react'

export type Column<Row, Sort extends string = never> = {
  key: string
  label: string
  cell: (row: Row) => ReactNode
  /** What its header sorts by: first click, second click. */
  sort?: readonly [Sort, Sort]
  width?: number
  /** Where the table becomes cards: the first line of a card, a line of its own, or nothing. */
  inCard?: 'lead' | 'wide' | 'none'
}

/** What a table shows: no rows yet means loading. */
export type Listing<Row> = { rows: Row[] | undefined; isUpdating: boolean; error: Error | null; retry: () => void }

type PageQuery<Row> = {
  data: { results: Row[] } | undefined
  isPlaceholderData: boolean
  error: Error | null
  refetch: () => unknown
}

export function listingFrom<Row>({ data, isPlaceholderData, error, refetch }: PageQuery<Row>): Listing<Row> {
  return { rows: data?.results, isUpdating: isPlaceholderData, error, retry: () => void refetch() }
}
