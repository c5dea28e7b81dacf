import type { FeedInfo } from '../../worker/feeds/contract'
import { formatCount, plural } from '../lib/format'
import { Timestamp } from '../ui/timestamp'
import { describeFeed, isTroubled } from './feed-state'
import classes from './footer.module.css'

export function FeedList({ feeds }: { feeds: FeedInfo[] }) {
  return (
    <ul className={classes.feeds}>
      {feeds.toSorted(troubledFirst).map((feed) => (
        <li key={feed.id}>
          <strong>{feed.name}</strong>{' '}
          <span className={isTroubled(feed) ? classes.problem : ''}>{describeFeed(feed)}</span>
          <p>
            Last success: <Timestamp at={feed.last_success} withTime />
            {feed.newest_at && (
              <>
                {' · newest content '}
                <Timestamp at={feed.newest_at} isRelative />
              </>
            )}
            {feed.next_run_at && (
              <>
                {' · next run '}
                <Timestamp at={feed.next_run_at} isRelative />
              </>
            )}
          </p>
          <p>
            {plural(feed.records, 'record')} read, {formatCount(feed.changed)} changed, {formatCount(feed.skipped)}{' '}
            skipped
          </p>
          {feed.last_error && <p className={classes.problem}>{feed.last_error}</p>}
        </li>
      ))}
    </ul>
  )
}

const troubledFirst = (a: FeedInfo, b: FeedInfo) => Number(isTroubled(b)) - Number(isTroubled(a))
