import type { ReactNode } from 'react'

/** The order after the first click on the header, and after the second if it has two. */
export type Orders<Sort> = readonly [Sort] | readonly [Sort, Sort]

export type Column<Row, Sort extends string = never> = {
  key: string
  label: string
  cell: (row: Row) => ReactNode
  sort?: Orders<Sort>
  /** A second order by what stands in the same cell. */
  also?: { label: string; sort: Orders<Sort> }
  width?: number
  /** Its place in a card, which a row becomes on a narrow screen: the first line, a line of its own, or none. */
  inCard?: 'lead' | 'wide' | 'none'
}

/** `rows` is undefined while it loads. */
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
