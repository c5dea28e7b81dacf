import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconClock } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getService, maxWaiting } from '../../../worker/objectives/contract'
import type { DeadMessage, ServiceJob, ServiceWait, WorkDay } from '../../../worker/objectives/contract'
import { call } from '../../lib/call'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { EmptyState } from '../../ui/empty-state'
import { Fact, Facts } from '../../ui/facts'
import { FailedState } from '../../ui/failed-state'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'

const serviceQuery = queryOptions({
  queryKey: ['service'],
  queryFn: ({ signal }) => call(getService, { signal }),
  refetchInterval: 15_000,
})

const waitWords: Record<ServiceWait['name'], string> = {
  changes: 'Changes whose alerts are not planned',
  verdicts: 'Organizations with something to compare',
  held_orgs: 'Organizations whose alerts wait for that',
  messages: 'Messages that are due',
  retries: 'Messages that wait for their next try',
  mails: 'Mails that are due',
}

/** For the operator: late and waiting work, and the jobs of the clock. */
export function ServiceTab() {
  const { data, error, refetch } = useQuery(serviceQuery)
  if (error && !data) return <FailedState title="Unable to get how the service runs" query={{ error, refetch }} />
  if (!data) return <Skeleton height={480} aria-busy />
  const { late, waiting, jobs, dead, alerts_p95, work, database_bytes, orgs } = data
  return (
    <Stack gap="md">
      <Card title="Now" aside={<LateMark late={late} />}>
        <Facts>
          <Fact label="Alerts leave within">
            {alerts_p95 ? `${plural(alerts_p95.seconds, 'second')} (95 %, ${alerts_p95.day})` : 'Not measured yet'}
          </Fact>
          <Fact label="Database">
            {database_bytes === null ? 'n/a' : `${formatCount(toMegabytes(database_bytes))} MB`}
          </Fact>
          <Fact label="Organizations">{formatCount(orgs.active)}</Fact>
          <Fact label="On trial">{formatCount(orgs.on_trial)}</Fact>
          <Fact label="Trial over">{formatCount(orgs.expired)}</Fact>
          <Fact label="Switched off">{formatCount(orgs.off)}</Fact>
        </Facts>
        <Text size="sm" c="dimmed" mt="sm">
          The last 90 days stand on <Anchor href="/status">/status</Anchor>, feeds under{' '}
          <AppLink to="/settings?tab=sync">Sync</AppLink>. A success is noted once in five minutes.
        </Text>
      </Card>
      <DataTable
        label="Waiting work"
        columns={waitColumns}
        listing={{ rows: waiting.map((row) => ({ ...row, id: row.name })) }}
        expected={6}
        empty={null}
      />
      <DataTable
        label="Jobs of the clock"
        isDense
        columns={jobColumns}
        listing={{ rows: jobs.toSorted(lateFirst).map((row) => ({ ...row, id: row.name })) }}
        expected={20}
        empty={<EmptyState title="The clock did not run yet" text="It runs every minute." />}
      />
      <DataTable
        label="Work of the last days"
        columns={workColumns}
        listing={{ rows: work.map((row) => ({ ...row, id: row.day })) }}
        expected={7}
        empty={<EmptyState title="No work was counted yet" text="It is added up once a minute." />}
      />
      <DataTable
        label="Given up by a queue"
        columns={deadColumns}
        listing={{ rows: dead }}
        expected={1}
        empty={
          <EmptyState title="No message was given up" text="Kept for 30 days. Work is driven again from its row." />
        }
      />
    </Stack>
  )
}

const toMegabytes = (bytes: number) => Math.max(1, Math.round(bytes / 1_000_000))
const rankJob = ({ is_late, failed_at }: ServiceJob) => (is_late ? 0 : failed_at === null ? 2 : 1)
const lateFirst = (a: ServiceJob, b: ServiceJob) => rankJob(a) - rankJob(b)

const alarm = { tone: 'alarm', icon: IconAlertTriangle } as const
const calm = { tone: 'calm', icon: IconCircleCheck, children: 'Jobs and alerts are on time' } as const

const LateMark = ({ late }: { late: string[] }) =>
  late.length ? <Mark {...alarm}>Late: {late.map(nameJob).join(', ')}</Mark> : <Mark {...calm} />

const nameJob = (name: string) => name.replaceAll('_', ' ')

const waitColumns: Column<ServiceWait & { id: string }>[] = [
  { label: 'Waiting work', inCard: 'lead', cell: ({ name }) => waitWords[name] },
  {
    label: 'How many',
    width: 140,
    isNumber: true,
    cell: ({ count, count_is_exact }) => (count_is_exact ? formatCount(count) : `more than ${formatCount(maxWaiting)}`),
  },
  {
    label: 'The first since',
    width: 180,
    cell: ({ name, since }) =>
      since === null ? '–' : <Timestamp at={since} isRelative={name !== 'retries'} withTime />,
  },
]

const jobColumns: Column<ServiceJob & { id: string }>[] = [
  { label: 'Job', width: 180, inCard: 'lead', cell: ({ name }) => nameJob(name) },
  { label: 'Runs', width: 120, cell: ({ every_s }) => (every_s > 3_600 ? 'every day' : 'every minute') },
  { label: 'Last success', width: 150, cell: ({ last_success }) => <Timestamp at={last_success} isRelative /> },
  { label: 'State', inCard: 'wide', cell: (job) => <JobState {...job} /> },
]

function JobState({ is_late, failed_at, last_error }: ServiceJob) {
  return (
    <>
      {is_late || failed_at !== null ? (
        <Mark tone={is_late ? 'alarm' : 'warning'} icon={failed_at === null ? IconClock : IconAlertTriangle}>
          {is_late ? 'Late' : 'Failed'}
        </Mark>
      ) : (
        'On time'
      )}
      {last_error && (
        <Text size="sm">
          {last_error} (since <Timestamp at={failed_at} withTime />)
        </Text>
      )}
    </>
  )
}

const aCount = (key: 'requests' | 'errors' | 'rows_read' | 'rows_written', label: string) => ({
  key,
  label,
  isNumber: true,
  cell: (row: WorkDay) => formatCount(row[key]),
})

const workColumns: Column<WorkDay & { id: string }>[] = [
  { label: 'Work of', width: 140, inCard: 'lead', cell: ({ day }) => day },
  aCount('requests', 'Requests'),
  aCount('errors', 'Errors'),
  aCount('rows_read', 'Rows read'),
  aCount('rows_written', 'Rows written'),
  {
    label: 'Price, without CPU',
    isNumber: true,
    cell: ({ price }) => (price < 0.01 ? 'less than $0.01' : `$${price.toFixed(2)}`),
  },
]

const deadColumns: Column<DeadMessage>[] = [
  { label: 'Given up by the queue', width: 200, inCard: 'lead', cell: ({ queue }) => queue },
  { label: 'When', width: 150, cell: ({ at }) => <Timestamp at={at} withTime /> },
  { label: 'Message', inCard: 'wide', cell: ({ body }) => <code>{body}</code> },
]
