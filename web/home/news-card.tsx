import { Skeleton } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { FailedState } from '../ui/failed-state'
import classes from './news.module.css'

const shownRows = 5

type Props<Row> = {
  title: string
  all: string
  rows: Row[] | undefined
  /** The number of placeholder rows while it loads; a card of more than one that was seen loading stays as high with fewer. */
  expected?: number
  empty: string
  /** Limits of the rows. */
  note?: ReactNode
  query: { error: Error | null; refetch: () => unknown }
  children: (row: Row) => ReactNode
}

export function NewsCard<Row extends { id: number }>(props: Props<Row>) {
  const { title, all, rows, expected = shownRows, empty, note, query, children } = props
  const [wasSeenLoading] = useState(!rows)
  const isTall = (wasSeenLoading && expected > 1) || undefined
  return (
    <Card
      title={title}
      aside={
        <AppLink to={all} fz="sm" aria-label={`See all: ${title}`}>
          See all
        </AppLink>
      }
    >
      {query.error && !rows ? (
        <FailedState query={query} />
      ) : rows?.length === 0 ? (
        <p className={classes.empty} data-tall={isTall}>
          {empty}
        </p>
      ) : (
        <ul className={classes.rows} aria-busy={!rows} data-tall={isTall}>
          {rows?.map((row) => (
            <li key={row.id}>{children(row)}</li>
          ))}
          {!rows &&
            Array.from({ length: expected }, (_, at) => (
              <li key={at}>
                <Skeleton height={14} my={4} w="45%" />
                <Skeleton height={12} my={6} w="80%" />
              </li>
            ))}
        </ul>
      )}
      {note && <p className={classes.note}>{note}</p>}
    </Card>
  )
}
