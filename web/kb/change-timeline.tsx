import '@mantine/core/styles/Timeline.css'
import { Skeleton, Stack, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { packageTimeline, productTimeline, TimelineQuery, vendorTimeline } from '../../worker/kb/timeline/contract'
import type { TimelineEntry } from '../../worker/kb/timeline/contract'
import { askPage } from '../lib/ask'
import { useFilters } from '../lib/filters'
import { formatDate } from '../lib/format'
import { VulnLink } from '../ui/app-link'
import { EmptyState } from '../ui/empty-state'
import { Loaded } from '../ui/loaded'
import { Pager } from '../ui/pager'
import { Timestamp } from '../ui/timestamp'
import { SourceName } from '../vulns/detail/source-name'
import classes from './kb.module.css'

const contracts = { product: productTimeline, vendor: vendorTimeline, package: packageTimeline }
type Subject = { kind: keyof typeof contracts; id: number }

const timelineQuery = ({ kind, id }: Subject, query: TimelineQuery) =>
  askPage(['timeline', kind, id, query], contracts[kind], { params: { id }, query })

export function ChangeTimeline(subject: Subject) {
  const [paging, setPaging] = useFilters(TimelineQuery)
  return (
    <Loaded
      query={useQuery(timelineQuery(subject, paging))}
      failed="The timeline could not be loaded"
      waiting={waiting}
    >
      {(found) =>
        found.count === 0 ? (
          <EmptyState title="Nothing has changed yet" />
        ) : (
          <>
            <Stack gap="lg" maw={860}>
              {groupByDay(found.results).map(([day, entries]) => (
                <section key={day} aria-label={day}>
                  <h2 className={classes.day}>{day}</h2>
                  <Timeline bulletSize={14} lineWidth={2}>
                    {entries.map((entry) => (
                      <Entry key={entry.id} entry={entry} />
                    ))}
                  </Timeline>
                </section>
              ))}
            </Stack>
            <Pager of="the timeline" paging={paging} found={found} onChange={setPaging} />
          </>
        )
      }
    </Loaded>
  )
}

function Entry({ entry: { date, vuln, reason, changes, source } }: { entry: TimelineEntry }) {
  return (
    <Timeline.Item
      title={
        <>
          <VulnLink id={vuln.id} cveid={vuln.cveid} fw={600} /> {reason}
        </>
      }
    >
      {changes.length > 0 && (
        <ul className={classes.changes}>
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      <p className={classes.summary}>{vuln.summary || 'No summary'}</p>
      <p className={classes.note}>
        <Timestamp at={date} withTime /> · <SourceName source={source} />
      </p>
    </Timeline.Item>
  )
}

/** Days are those of the reader's time zone. */
const groupByDay = (entries: TimelineEntry[]) => [...Map.groupBy(entries, ({ date }) => formatDate(date))]

const waiting = (
  <Stack gap="md" aria-busy>
    <Skeleton height={56} maw={560} />
    <Skeleton height={56} maw={560} />
    <Skeleton height={56} maw={560} />
  </Stack>
)
