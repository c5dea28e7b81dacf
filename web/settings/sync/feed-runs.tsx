import { useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import type { FeedInfo, listRuns } from '../../../worker/feeds/contract'
import { formatCount } from '../../lib/format'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { EmptyState } from '../../ui/empty-state'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { runsQuery } from './api'

type Run = z.output<typeof listRuns.reply>['runs'][number]

const columns: Column<Run>[] = [
  {
    key: 'started',
    label: 'Started',
    inCard: 'lead',
    cell: ({ started_at }) => <Timestamp at={started_at} withTime />,
  },
  { key: 'took', label: 'Took', cell: formatDuration },
  { key: 'read', label: 'Read', cell: ({ records }) => formatCount(records) },
  { key: 'changed', label: 'Changed', cell: ({ changed }) => formatCount(changed) },
  { key: 'skipped', label: 'Skipped', cell: ({ skipped }) => formatCount(skipped) },
  {
    key: 'error',
    label: 'Error',
    inCard: 'wide',
    cell: ({ error }) => error && <span className={classes.problem}>{error}</span>,
  },
]

export function FeedRuns({ feed }: { feed: FeedInfo['id'] }) {
  const { data, error, isPlaceholderData, refetch } = useQuery(runsQuery(feed))
  return (
    <DataTable
      label="Last runs"
      columns={columns}
      listing={{ rows: data?.runs, isUpdating: isPlaceholderData, error, retry: () => void refetch() }}
      expected={5}
      empty={<EmptyState title="It has not run yet" />}
    />
  )
}

function formatDuration({ started_at, finished_at }: Run) {
  if (!finished_at) return 'running'
  const seconds = Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
