import { Skeleton } from '@mantine/core'
import { dueOrOverdueQuery, newestKev, shownOnDesk, type NewsVuln } from '../../worker/home/contract'
import { useQuery } from '@tanstack/react-query'
import { DueWords, RiskMarks } from '../vulns/risk-marks'
import { DayChart } from '../inventories/day-chart'
import { Card } from '../ui/card'
import { monitoredStatsQuery } from '../monitoring/api'
import { AppLink } from '../ui/app-link'
import { Timestamp } from '../ui/timestamp'
import { toInbox } from '../vulns/inbox-address'
import { AnswerLine } from './answer-line'
import { deskQuery, newsQuery } from './api'
import { beforeVisit } from './last-visit'
import { NewsCard } from './news-card'
import { NewsRow } from './news-row'
import classes from './news.module.css'

/** So often it looks how much still waits to be matched or compared. */
const waiting_ms = 10_000

/** First questions of the member on duty: the worst, the new and the changed vulnerabilities. */
export function DeskCards({ isEmpty }: { isEmpty: boolean }) {
  const query = useQuery({
    ...deskQuery(beforeVisit()),
    refetchInterval: ({ state }) => (state.data?.matching_count || state.data?.comparing_count ? waiting_ms : false),
  })
  const { data } = query
  const changedTitle = data?.since ? 'Changed since you last looked' : 'Changed in the last 24 hours'
  return (
    <section className={classes.desk} aria-label="What needs you now">
      <AnswerLine isEmpty={isEmpty} />
      {!isEmpty && (
        <div className={classes.grid}>
          <NewsCard title="Worst open" all={toInbox()} rows={data?.worst} empty="Nothing is open." query={query}>
            {(vuln) => <NewsRow vuln={vuln} aside={<RiskMarks vuln={vuln} isWithoutDue />} beneath={tellDue(vuln)} />}
          </NewsCard>
          <NewsCard
            title="Newly in KEV, of what you monitor"
            all={toInbox('kev')}
            rows={data?.kev}
            empty="Nothing that you monitor and that is open is in KEV."
            query={query}
          >
            {(vuln) => (
              <NewsRow vuln={vuln} aside={vuln.kev && <Timestamp at={vuln.kev.added} />} beneath={tellDue(vuln)} />
            )}
          </NewsCard>
          <NewsCard
            title={changedTitle}
            all={toInbox(data?.since ? `updated>${data.since}` : 'updated<=24h')}
            rows={data?.changes}
            empty="Nothing changed but words and references."
            query={query}
          >
            {(vuln) => (
              <NewsRow vuln={vuln} words={vuln.texts.join(' · ')} aside={<Timestamp at={vuln.at} isRelative />} />
            )}
          </NewsCard>
          <DueCard />
        </div>
      )}
      {data && data.days.length > 1 && (
        <Card title="Open findings of your inventories, 90 days">
          <DayChart days={data.days} />
        </Card>
      )}
      {data && data.days.length < 2 && !isEmpty && <OpenChart />}
    </section>
  )
}

const tellDue = ({ due }: NewsVuln) => due && <DueWords due={due} />

/** Monitored vulnerabilities may be overdue for long, and stand first. */
function DueCard() {
  const [desk, news] = [useQuery(deskQuery(beforeVisit())), useQuery(newsQuery)]
  const others = news.data?.due.filter(({ monitored }) => !monitored)
  const rows = desk.data && others && [...desk.data.due, ...others].slice(0, shownOnDesk)
  return (
    <NewsCard
      title="Due this week or overdue"
      all={`/vulns?${new URLSearchParams({ q: dueOrOverdueQuery })}`}
      rows={rows}
      empty="Nothing that is open is due within the next 7 days."
      note={`Monitored vulnerabilities are looked through whole; of the rest only the ${newestKev} entries that CISA added last.`}
      query={{ error: desk.error ?? news.error, refetch: () => Promise.all([desk.refetch(), news.refetch()]) }}
    >
      {(vuln) => (
        <NewsRow
          vuln={vuln}
          aside={<strong>{tellDue(vuln)}</strong>}
          beneath={vuln.due && <Timestamp at={vuln.due} />}
        />
      )}
    </NewsCard>
  )
}

/** Without inventories: the watchlist by its names and versions. */
function OpenChart() {
  const { data, isPending } = useQuery(monitoredStatsQuery)
  const days = data?.days
  if (!isPending && (!days || !days.length) && days !== null) return null
  return (
    <Card title="Open vulnerabilities of what you monitor, 90 days">
      {isPending && <Skeleton height={140} />}
      {days && <DayChart days={days} what="vulnerabilities" />}
      <p className={classes.note}>
        {days === null ? (
          <>
            More than 10,000 vulnerabilities concern you, too many to count day by day. Tell{' '}
            <AppLink to="/monitoring" inherit>
              the versions that you run
            </AppLink>
            , or upload an inventory: then fewer do.
          </>
        ) : (
          'By severity of today, of what you monitor now: from the day on which each could concern you until you decided. Counted anew each hour.'
        )}
      </p>
    </Card>
  )
}
