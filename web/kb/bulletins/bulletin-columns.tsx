import type { BulletinQuery, BulletinRow } from '../../../worker/kb/bulletins/contract'
import { AppLink } from '../../ui/app-link'
import type { Column } from '../../ui/column'
import { Timestamp } from '../../ui/timestamp'
import { monitoredColumn } from '../columns'
import { BulletinSeverity } from './bulletin-severity'
import classes from './bulletin.module.css'

export const bulletinColumns: Column<BulletinRow, BulletinQuery['sorted_by']>[] = [
  {
    label: 'ID',
    width: 150,
    inCard: 'lead',
    cell: ({ id, publicid }) => (
      <AppLink to={`/kb/bulletins/${id}`} fw={600} underline="hover" className={classes.publicid}>
        {publicid}
      </AppLink>
    ),
  },
  {
    label: 'Vendor',
    width: 180,
    sort: ['vendor', '-vendor'],
    cell: ({ vendor }) => <AppLink to={`/kb/bulletins?${new URLSearchParams({ vendor })}`}>{vendor}</AppLink>,
  },
  { label: 'Title', inCard: 'wide', cell: ({ title }) => <span className={classes.title}>{title}</span> },
  { label: 'Severity', width: 90, cell: ({ severity }) => <BulletinSeverity severity={severity} /> },
  {
    label: 'Published',
    width: 104,
    sort: ['-published', 'published'],
    cell: ({ published }) => <Timestamp at={published} />,
  },
  { ...monitoredColumn('bulletin', ({ publicid }) => publicid), sort: undefined, also: undefined, width: 96 },
]
