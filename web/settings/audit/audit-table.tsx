import type { ReactNode } from 'react'
import type { AuditRow } from '../../../worker/orgs/contract'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { describeDetail } from './detail'
import { describeAuditAction } from './words'

type Sort = 'seq' | '-seq'

const columns: Column<AuditRow, Sort>[] = [
  { key: 'at', label: 'When', sort: ['-seq', 'seq'], width: 140, cell: ({ at }) => <Timestamp at={at} withTime /> },
  { key: 'actor', label: 'Who', width: 130, cell: ({ actor }) => actor },
  {
    key: 'action',
    label: 'What',
    width: 200,
    inCard: 'lead',
    cell: ({ action }) => <span title={action}>{describeAuditAction(action)}</span>,
  },
  { key: 'target', label: 'To whom', cell: ({ target }) => target },
  {
    key: 'detail',
    label: 'Detail',
    inCard: 'wide',
    cell: ({ detail }) => {
      const words = describeDetail(detail)
      return words && <p className={classes.note}>{words}</p>
    },
  },
  { key: 'ip', label: 'From where', width: 150, cell: ({ ip }) => ip },
]

type Props = {
  listing: Listing<AuditRow>
  expected: number
  empty: ReactNode
  sort: Sort
  onSort: (sort: Sort) => void
}

export function AuditTable({ listing, ...props }: Props) {
  const rows = listing.rows?.map((row) => ({ ...row, id: row.seq }))
  return <DataTable label="Audit log" columns={columns} listing={{ ...listing, rows }} {...props} />
}
