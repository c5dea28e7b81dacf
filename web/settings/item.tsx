import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailedState } from '../ui/failed-state'
import classes from './settings.module.css'

type ListProps<Row> = {
  label: string
  failed?: string
  query: { data: Row[] | undefined; error: Error | null; refetch: () => unknown }
  children: (row: Row) => ReactNode
}

export const CardList = <Row,>({ label, failed, query, children }: ListProps<Row>) => (
  <>
    <FailedState title={failed} query={query} />
    {!query.error && !query.data && <Skeleton height={60} />}
    <ul className={classes.list} aria-label={label}>
      {query.data?.map((row) => children(row))}
    </ul>
  </>
)

type ItemProps = { name: ReactNode; note?: ReactNode; children?: ReactNode }

/** `children` are its buttons. */
export const Item = ({ name, note, children }: ItemProps) => (
  <li className={classes.item}>
    <div>
      <div className={classes.name}>{name}</div>
      {note && <p className={classes.note}>{note}</p>}
    </div>
    {children}
  </li>
)
