import type { BulletinQuery, BulletinRow } from '../../../worker/kb/bulletins/contract'
import { AppLink } from '../../ui/app-link'
import type { Column } from '../../ui/column'
import { Timestamp } from '../../ui/timestamp'
import { monitoredColumn } from '../columns'
import classes from './bulletin.module.css'
import { Mark } from '../../ui/mark'

// The words of CVSS, and those of vendors (Red Hat, Microsoft).
const tones: Record<string, 'alarm' | 'warning' | 'plain'> = {
  critical: 'alarm',
  high: 'alarm',
  important: 'alarm',
  medium: 'warning',
  moderate: 'warning',
}

export function BulletinSeverity({ severity }: { severity: string | null }) {
  if (!severity) return <span>n/a</span>
  return <Mark tone={tones[severity.toLowerCase()] ?? 'plain'}>{severity}</Mark>
}

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
