import { Modal, Tabs } from '@mantine/core'
import type { FeedInfo, listRuns, listSkips } from '../../../worker/feeds/contract'
import { formatCount, plural } from '../../lib/format'
import { EmptyState } from '../../ui/empty-state'
import { useFocusBack } from '../../ui/focus-back'
import { useQuery } from '@tanstack/react-query'
import type * as z from 'zod'
import { listingFrom, type Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { runsQuery, skipsQuery } from './api'
import { useState } from 'react'
import { SupportNames } from './support-names'
import { Pager } from '../../ui/pager'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Mark } from '../../ui/mark'

type Props = { feed: FeedInfo; onClose: () => void }

export function FeedDialog({ feed, onClose }: Props) {
  useFocusBack()
  const { id, name, years, holes } = feed
  const unread = feed.skips.reduce((count, skip) => count + skip.count, 0)
  return (
    <Modal centered={false} opened onClose={onClose} title={name} size="xl">
      <Tabs defaultValue="runs">
        <Tabs.List mb="md">
          <Tabs.Tab value="runs">Last runs</Tabs.Tab>
          <Tabs.Tab value="years">Years</Tabs.Tab>
          {id === 'endoflife' && <Tabs.Tab value="names">Names to confirm</Tabs.Tab>}
          <Tabs.Tab value="skips">Skipped records ({formatCount(unread)})</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="runs">
          <FeedRuns feed={id} />
        </Tabs.Panel>
        <Tabs.Panel value="years">
          {years.length > 0 ? (
            <FeedYears years={years} holes={holes} />
          ) : (
            <EmptyState title="This source gives no totals" text="Whether records are missing is not known." />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="names">
          <SupportNames />
        </Tabs.Panel>
        <Tabs.Panel value="skips">
          <FeedSkips feed={feed} />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  )
}

type Run = z.output<typeof listRuns.reply>['runs'][number]

const runColumns: Column<Run>[] = [
  { label: 'Started', inCard: 'lead', cell: ({ started_at }) => <Timestamp at={started_at} withTime /> },
  { label: 'Took', cell: formatDuration },
  { label: 'Read', isNumber: true, cell: ({ records }) => formatCount(records) },
  { label: 'Changed', isNumber: true, cell: ({ changed }) => formatCount(changed) },
  { label: 'Without news', isNumber: true, cell: ({ rewritten }) => formatCount(rewritten) },
  { label: 'Skipped', isNumber: true, cell: ({ skipped }) => formatCount(skipped) },
  { label: 'Error', inCard: 'wide', cell: ({ error }) => error && <span className={classes.problem}>{error}</span> },
]

function FeedRuns({ feed }: { feed: FeedInfo['id'] }) {
  const { data, error, refetch } = useQuery(runsQuery(feed))
  return (
    <DataTable
      label="Last runs"
      columns={runColumns}
      listing={{ rows: data?.runs, error, refetch }}
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

type Skip = z.output<typeof listSkips.reply>['results'][number]

const skipColumns: Column<Skip>[] = [
  { label: 'Record', inCard: 'lead', cell: ({ record_id }) => record_id },
  { label: 'Reason', inCard: 'wide', cell: ({ reason, body }) => <Reason reason={reason} body={body} /> },
  { label: 'When', width: 132, cell: ({ at }) => <Timestamp at={at} withTime /> },
]

function FeedSkips({ feed: { id, skips } }: { feed: FeedInfo }) {
  const [paging, setPaging] = useState({ page: 1, limit: 10 })
  const found = useQuery(skipsQuery({ ...paging, feed: id, sorted_by: '-at' }))
  return (
    <>
      <ul className={classes.reasons}>
        {skips.map(({ reason, count }) => (
          <li key={reason}>
            {formatCount(count)} × {reason}
          </li>
        ))}
      </ul>
      <DataTable
        label="Skipped records"
        columns={skipColumns}
        listing={listingFrom(found)}
        expected={5}
        empty={<EmptyState title="Every record could be read" />}
      />
      <Pager
        of="the skipped records"
        paging={paging}
        found={found.data}
        onChange={(patch) => setPaging({ ...paging, page: 1, ...patch })}
      />
    </>
  )
}

const Reason = ({ reason, body }: Pick<Skip, 'reason' | 'body'>) => (
  <details>
    <summary>{reason}</summary>
    <pre className={classes.body}>{body}</pre>
  </details>
)

type Year = FeedInfo['years'][number] & { id: number }

const yearColumns: Column<Year>[] = [
  { label: 'Year', inCard: 'lead', cell: ({ year }) => year },
  { label: 'At the source', isNumber: true, cell: ({ source_count }) => formatCount(source_count) },
  { label: 'Here', isNumber: true, cell: ({ here_count }) => formatCount(here_count) },
  { label: 'State', cell: (year) => <YearMark missing={year.source_count - year.here_count} /> },
]

function FeedYears({ years, holes }: Pick<FeedInfo, 'years' | 'holes'>) {
  const rows = years.map((year) => ({ ...year, id: year.year })).toSorted((a, b) => b.year - a.year)
  return (
    <>
      <p className={`${classes.note} ${classes.above}`}>
        {holes > 0
          ? `${plural(holes, 'missing record')} queued to be fetched.`
          : 'No missing record is waiting to be fetched.'}
      </p>
      <DataTable label="Years" columns={yearColumns} listing={{ rows }} expected={0} empty={null} />
    </>
  )
}

const lacking = { tone: 'warning', icon: IconAlertTriangle } as const
const complete = { tone: 'calm', icon: IconCircleCheck, children: 'Complete' } as const

const YearMark = ({ missing }: { missing: number }) =>
  missing > 0 ? <Mark {...lacking}>{formatCount(missing)} missing</Mark> : <Mark {...complete} />
