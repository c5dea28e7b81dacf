import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { freshnessQuery } from '../layout/api'
import { FeedList } from '../layout/feed-list'
import { findFreshness } from '../layout/feed-state'
import { FailedState } from '../ui/failed-state'
import classes from './help.module.css'

export function SourceFreshness() {
  const { data, error, refetch } = useQuery(freshnessQuery)
  if (error && !data)
    return <FailedState title="Unable to get the feeds" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={120} aria-busy />
  return (
    <>
      <p>
        <strong>{findFreshness(data.feeds).text}</strong>
      </p>
      <div className={classes.fresh}>
        <FeedList feeds={data.feeds} />
      </div>
    </>
  )
}
