import { useQuery } from '@tanstack/react-query'
import type { NewsVuln } from '../../worker/home/contract'
import { formatCount, formatPercent } from '../lib/format'
import { Timestamp } from '../ui/timestamp'
import { RansomwareMark } from '../vulns/risk-marks'
import { newsQuery } from './api'
import { NewsCard } from './news-card'
import { ExploitNews, NewsRow } from './news-row'
import classes from './news.module.css'

export function NewsCards() {
  const query = useQuery(newsQuery)
  const { data } = query
  return (
    <div className={classes.grid}>
      <NewsCard
        title="Newly in KEV"
        all="/vulns?kev=true"
        rows={data?.kev}
        empty="Nothing is in KEV yet."
        query={query}
      >
        {(vuln) => <NewsRow vuln={vuln} aside={vuln.kev && <Timestamp at={vuln.kev.added} />} beneath={ransom(vuln)} />}
      </NewsCard>
      <NewsCard
        title="Newest exploits"
        all="/exploits"
        rows={data?.exploits}
        empty="No exploit is known yet."
        note={noteCut(data?.exploits_looked_at)}
        query={query}
      >
        {(exploit) => <ExploitNews exploit={exploit} />}
      </NewsCard>
      <NewsCard
        title="EPSS risers"
        expected={1}
        all="/vulns?risen=true&sorted_by=-epss"
        rows={data?.rises}
        empty="No EPSS value rose past 10%, 50% or 90%, or tenfold, in the last 7 days."
        query={query}
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
  `Exploits that concern you were looked for among the ${formatCount(count)} exploits that changed last.`

const ransom = ({ kev }: NewsVuln) => kev?.ransomware && <RansomwareMark />
