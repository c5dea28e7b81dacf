import { useQuery } from '@tanstack/react-query'
import { dueQuery, newestKev } from '../../worker/home/contract'
import type { NewsVuln } from '../../worker/home/contract'
import { formatCount, formatPercent } from '../lib/format'
import { Mark } from '../ui/mark'
import { Timestamp } from '../ui/timestamp'
import { newsQuery } from './api'
import { NewsCard } from './news-card'
import { ExploitNews, NewsRow } from './news-row'
import classes from './news.module.css'

export function NewsCards() {
  const { data, error, refetch } = useQuery(newsQuery)
  const state = { error, retry: () => void refetch() }
  return (
    <div className={classes.grid}>
      <NewsCard title="Newly in KEV" all="/vulns?kev=true" rows={data?.kev} empty="Nothing is in KEV yet." {...state}>
        {(vuln) => <NewsRow vuln={vuln} aside={vuln.kev && <Timestamp at={vuln.kev.added} />} beneath={ransom(vuln)} />}
      </NewsCard>
      <NewsCard
        title="Newest exploits"
        all="/exploits"
        rows={data?.exploits}
        empty="No exploit is known yet."
        note={noteCut(data?.exploits_looked_at)}
        {...state}
      >
        {(exploit) => <ExploitNews exploit={exploit} />}
      </NewsCard>
      <NewsCard
        title="Due this week"
        expected={1}
        all={`/vulns?${new URLSearchParams({ q: dueQuery })}`}
        rows={data?.due}
        empty="Nothing that is open has a deadline of CISA within the next 7 days."
        note={`Of what you monitor all is looked at, of the rest only the ${newestKev} entries that CISA added last.`}
        {...state}
      >
        {(vuln) => (
          <NewsRow
            vuln={vuln}
            aside={vuln.kev?.due && <strong>{dueWords(vuln.kev.due)}</strong>}
            beneath={vuln.kev?.due}
          />
        )}
      </NewsCard>
      <NewsCard
        title="EPSS risers"
        expected={1}
        all="/vulns?risen=true&sorted_by=-epss"
        rows={data?.rises}
        empty="No EPSS value rose past 10%, 50% or 90%, or tenfold, in the last 7 days."
        {...state}
      >
        {(vuln) => (
          <NewsRow
            vuln={vuln}
            aside={
              <>
                {formatPercent(vuln.rise.from)} → <strong>{formatPercent(vuln.rise.to)}</strong>
              </>
            }
            beneath={<Timestamp at={vuln.rise.day} />}
          />
        )}
      </NewsCard>
    </div>
  )
}

const noteCut = (count: number | null | undefined) =>
  typeof count === 'number' &&
  `What you monitor was looked for among the ${formatCount(count)} exploits that changed last.`

const ransom = ({ kev }: NewsVuln) =>
  kev?.ransomware && (
    <Mark tone="alarm" title="Known to be used in ransomware campaigns">
      Ransomware
    </Mark>
  )

const day_ms = 86_400_000

/** CISA's days are days of UTC. */
function dueWords(due: string) {
  const days = Math.round((Date.parse(due) - Date.parse(new Date().toISOString().slice(0, 10))) / day_ms)
  return days <= 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
}
