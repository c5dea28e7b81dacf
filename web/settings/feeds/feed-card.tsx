import { Group, Progress } from '@mantine/core'
import type { ComponentProps } from 'react'
import type { FeedInfo } from '../../../worker/feeds/contract'
import { formatCount, plural } from '../../lib/format'
import { Card } from '../../ui/card'
import { ChangeButton, LabelButton } from '../../ui/label-button'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { runFeedsMutation } from './api'
import { IconAlertTriangle, IconCircleCheck, IconClock, IconHourglass, IconLoader } from '@tabler/icons-react'
import { countMissing } from '../../layout/feed-state'
import { Mark } from '../../ui/mark'

type Props = { feed: FeedInfo; onOpen: () => void }

export function FeedCard({ feed, onOpen }: Props) {
  const { id, name, state, records, changed, skipped, last_success, next_run_at, newest_at, last_error } = feed
  return (
    <Card title={name} aside={<FeedMark feed={feed} />}>
      {state === 'running' && <RunProgress feed={feed} />}
      <Facts>
        <Fact label="Last success">
          <Timestamp at={last_success} withTime />
        </Fact>
        <Fact label="Newest content">
          <Timestamp at={newest_at} isRelative />
        </Fact>
        <Fact label="Next run">{next_run_at ? <Timestamp at={next_run_at} isRelative /> : unplanned(feed)}</Fact>
        <Fact label="Read">{formatCount(records)}</Fact>
        <Fact label="Changed">{formatCount(changed)}</Fact>
        <Fact label="Skipped">{formatCount(skipped)}</Fact>
      </Facts>
      {last_error && <p className={classes.problem}>{last_error}</p>}
      <Completeness feed={feed} />
      {feed.mass_edit && <MassEdit {...feed.mass_edit} />}
      {feed.reread && <Reread {...feed.reread} />}
      <Group mt="sm">
        <ChangeButton
          size="xs"
          disabled={state === 'running'}
          label="Run now"
          aria-label={`Run now: ${name}`}
          change={runFeedsMutation}
          given={id}
        />
        <LabelButton size="xs" variant="subtle" label="Details" aria-label={`Details: ${name}`} onClick={onOpen} />
      </Group>
    </Card>
  )
}

const unplanned = ({ state }: FeedInfo) => (state === 'running' ? 'running' : 'on request')

function RunProgress({ feed: { name, records, total } }: { feed: FeedInfo }) {
  const progress = total ? `${formatCount(records)} of ${formatCount(total)} records` : plural(records, 'record')
  // Without a total the share is unknown: the bar moves and only the number counts.
  const share = total ? Math.min(100, (records / total) * 100) : 100
  return (
    <div>
      <Progress.Root size="md">
        <Progress.Section
          value={share}
          animated={!total}
          striped={!total}
          aria-label={`Progress of ${name}`}
          aria-valuetext={progress}
        />
      </Progress.Root>
      <p className={classes.note}>{progress}</p>
    </div>
  )
}

const MassEdit = ({ at, records }: NonNullable<FeedInfo['mass_edit']>) => (
  <p className={classes.note}>
    The source rewrote {plural(records, 'record')} without news, <Timestamp at={at} isRelative />: other dates, ids,
    links, order or wording, or scores of another model. It alerted nobody.
  </p>
)

const Reread = ({ at, records }: NonNullable<FeedInfo['reread']>) => (
  <p className={classes.note}>
    {records === null
      ? 'All records are being read anew'
      : `All were read anew, which changed ${plural(records, 'record')}`}
    , since <Timestamp at={at} isRelative />: an upgrade reads them by other rules. Those changes alert nobody.
  </p>
)

function Completeness({ feed: { years, holes, skips } }: { feed: FeedInfo }) {
  const sum = (field: 'source_count' | 'here_count') => years.reduce((count, year) => count + year[field], 0)
  const [there, here] = [sum('source_count'), sum('here_count')]
  const unread = skips.reduce((count, skip) => count + skip.count, 0)
  const words = [
    years.length > 0 && `${formatCount(here)} of the source's ${formatCount(there)} records are here`,
    holes > 0 && `${plural(holes, 'missing record')} queued to be fetched`,
    unread > 0 && `${plural(unread, 'record')} could not be read`,
  ].filter(Boolean)
  return words.length > 0 && <p className={classes.note}>{words.join(' · ')}</p>
}

const FeedMark = ({ feed }: { feed: FeedInfo }) => <Mark {...findFace(feed)} />

function findFace(feed: FeedInfo): ComponentProps<typeof Mark> {
  const { state, is_late, is_stale, last_success } = feed
  const missing = countMissing(feed)
  if (state === 'failed')
    return { tone: 'alarm', icon: IconAlertTriangle, children: is_late ? 'Failed, late' : 'Failed' }
  if (state === 'running') return { tone: 'calm', icon: IconLoader, children: 'Running' }
  if (is_stale)
    return {
      tone: is_late ? 'warning' : 'calm',
      icon: IconClock,
      title: 'The source has brought nothing new for longer than it usually rests',
      children: is_late ? 'Nothing new' : 'The copy ends',
    }
  if (is_late) return { tone: 'warning', icon: IconClock, title: 'A planned run did not take place', children: 'Late' }
  if (!last_success) return { tone: 'quiet', icon: IconHourglass, children: 'Not run yet' }
  if (!missing) return { tone: 'calm', icon: IconCircleCheck, children: 'Up to date' }
  return {
    tone: 'warning',
    icon: IconAlertTriangle,
    title: 'The source has these records, and Earshot does not',
    children: `${plural(missing, 'record')} missing`,
  }
}
