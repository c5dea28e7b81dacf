import { Skeleton, Stack, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../ui/empty-state'
import { FailedState } from '../../ui/failed-state'
import { Timestamp } from '../../ui/timestamp'
import { historyQuery } from '../api'
import classes from '../vuln-detail.module.css'

export function HistoryTab({ id }: { id: number }) {
  const { data: history, error, refetch } = useQuery(historyQuery(id))
  if (error) return <FailedState title="The history could not be loaded" error={error} onRetry={() => void refetch()} />
  if (!history)
    return (
      <Stack gap="md" aria-busy>
        <Skeleton height={56} maw={560} />
        <Skeleton height={56} maw={560} />
      </Stack>
    )
  if (history.length === 0) return <EmptyState title="Nothing has changed yet" />
  return (
    <Timeline bulletSize={14} lineWidth={2} maw={760}>
      {history.map(({ date, reason, changes, source }, index) => (
        <Timeline.Item key={index} title={reason}>
          <ul className={classes.changes}>
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
          <p className={classes.note}>
            <Timestamp at={date} withTime /> · {source}
          </p>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
