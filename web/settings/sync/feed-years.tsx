import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { FeedInfo } from '../../../worker/feeds/contract'
import { formatCount, plural } from '../../lib/format'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'

type Year = FeedInfo['years'][number] & { id: number }

const columns: Column<Year>[] = [
  { key: 'year', label: 'Year', inCard: 'lead', cell: ({ year }) => year },
  { key: 'source', label: 'At the source', cell: ({ source_count }) => formatCount(source_count) },
  { key: 'here', label: 'Here', cell: ({ here_count }) => formatCount(here_count) },
  { key: 'state', label: 'State', cell: (year) => <YearMark missing={year.source_count - year.here_count} /> },
]

export function FeedYears({ years, holes }: Pick<FeedInfo, 'years' | 'holes'>) {
  const rows = years.map((year) => ({ ...year, id: year.year })).toSorted((a, b) => b.year - a.year)
  return (
    <>
      <p className={`${classes.note} ${classes.above}`}>
        {holes > 0
          ? `${plural(holes, 'missing record')} queued to be fetched.`
          : 'No missing record is waiting to be fetched.'}
      </p>
      <DataTable
        label="Years"
        columns={columns}
        listing={{ rows, isUpdating: false, error: null, retry: () => {} }}
        expected={0}
        empty={null}
      />
    </>
  )
}

function YearMark({ missing }: { missing: number }) {
  if (missing > 0)
    return (
      <Mark tone="warning" icon={<IconAlertTriangle size={14} aria-hidden />}>
        {formatCount(missing)} missing
      </Mark>
    )
  return (
    <Mark tone="calm" icon={<IconCircleCheck size={14} aria-hidden />}>
      Complete
    </Mark>
  )
}
