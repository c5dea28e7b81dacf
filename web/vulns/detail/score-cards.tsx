import { useQuery } from '@tanstack/react-query'
import { epssRank } from '../../../worker/domain/scores/epss'
import { findRatingSpan } from '../../../worker/domain/scores/score'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { findNewModels, lastDayBefore, type EpssModel } from '../../../worker/domain/scores/epss-models'
import { explainVector } from '../../../worker/domain/scores/cvss'
import { severityLabels } from '../../../worker/domain/scores/severity'
import { findStatedSeverity } from '../../../worker/domain/scores/stated-severity'
import { formatPercent } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { HelpLink } from '../../ui/help-link'
import { ScoreBadge } from '../../ui/score-badge'
import classes from '../vuln-detail.module.css'
import { FailedLine } from '../../ui/failed-line'
import { epssQuery } from './api'
import { CvssBadge } from '../../ui/cvss-badge'
import { Mark } from '../../ui/mark'
import { SourceName } from './source-name'

export function ScoreCard({ vuln }: { vuln: VulnDetail }) {
  const { id, score, is_score_provisional, rating_vector } = vuln
  return (
    <Card title="Score" aside={<HelpLink topic="scores" about="what a score is made of" />}>
      <ScoreBadge of={vuln} size="large" />
      {is_score_provisional && <p className={classes.note}>{describeProvisional(vuln)}</p>}
      {score === null && <p className={classes.note}>This vulnerability has no score yet.</p>}
      {rating_vector && (
        <p className={classes.note}>
          <AppLink to={`/ratings?${new URLSearchParams({ vector: rating_vector, vuln: String(id) })}`}>
            See how it is rated
          </AppLink>
        </p>
      )}
    </Card>
  )
}

function describeProvisional(vuln: VulnDetail) {
  if (vuln.is_malicious) return 'A malicious package has the highest score, whatever its CVSS.'
  const { least, most } = findRatingSpan(vuln)
  return `There is no CVSS vector yet. Until there is one, the score is made of known exploitation, exploits and EPSS; with one, it is at least ${least} and at most ${most}.`
}

export function EpssCard({ vuln: { id, epss, epss_percentile } }: { vuln: VulnDetail }) {
  return (
    <Card title="EPSS" aside={<HelpLink topic="scores" about="what EPSS says" />}>
      <p className={classes.figure}>{epss === null ? 'n/a' : formatPercent(epss)}</p>
      <p className={classes.note}>
        {epss === null ? 'No EPSS score yet.' : 'Probability of exploitation within 30 days'}
        {epss_percentile !== null && `. Higher than ${epssRank(epss_percentile)} of all vulnerabilities.`}
      </p>
      <EpssLine id={id} />
    </Card>
  )
}

const [width, height, pad] = [180, 36, 3]

function EpssLine({ id }: { id: number }) {
  const query = useQuery(epssQuery(id))
  const { data } = query
  if (query.error) return <FailedLine text="Its history could not be loaded." query={query} />
  if (!data || data.now === null || data.history.length === 0) return null
  const lines = stepLines(data.history, data.now, data.models)
  const [first = { until: '', epss: 0 }] = data.history
  const newModels = findNewModels(data.models, lastDayBefore(first.until))
  const words = `EPSS was ${formatPercent(first.epss)} until ${first.until}, and is ${formatPercent(data.now)}`
  return (
    <>
      <svg className={classes.line} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={words}>
        <title>{words}</title>
        {lines.map((points) => (
          <polyline key={points} points={points} fill="none" stroke="currentColor" strokeWidth="1.5" />
        ))}
      </svg>
      {data.lev && (
        <p className={classes.note} title={`By NIST’s formula, from ${data.lev.since} to ${data.lev.to}`}>
          At least {formatPercent(data.lev.lev)} likely exploited since {data.lev.since}
          {data.lev.new_models.length > 0 && ', over several models'} (LEV).
        </p>
      )}
      {newModels.map(({ name, since }) => (
        <p key={since} className={classes.note}>
          New model ({name}) since {since}: not comparable across it.
        </p>
      ))}
    </>
  )
}

// Time runs from the first known change to now; a value holds until the day of the next. No line joins two models.
function stepLines(history: { until: string; epss: number }[], now: number, models: EpssModel[]) {
  const days = history.map(({ until }) => Date.parse(until))
  const [start = 0, end = Date.now()] = [(days[0] ?? 0) - 86_400_000 * 7, Math.max(Date.now(), (days.at(-1) ?? 0) + 1)]
  const top = Math.max(now, ...history.map(({ epss }) => epss), 0.01)
  const x = (at: number) => pad + ((at - start) / (end - start)) * (width - 2 * pad)
  const y = (value: number) => height - pad - (value / top) * (height - 2 * pad)
  const lines: [number, number][][] = [[]]
  let from = start
  for (const [index, { until, epss }] of history.entries()) {
    lines.at(-1)?.push([x(from), y(epss)], [x(days[index] ?? from), y(epss)])
    if (findNewModels(models, history[index - 1]?.until ?? lastDayBefore(until), until).length) lines.push([])
    from = days[index] ?? from
  }
  lines.at(-1)?.push([x(from), y(now)], [x(end), y(now)])
  return lines.map((steps) => steps.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(' '))
}

type Given = { version: 2 | 3 | 4; score: number; vector: string; source: string | null }

export function CvssCard({ vuln }: { vuln: VulnDetail }) {
  const [newest, ...others] = listGiven(vuln)
  if (!newest) return <StatedCard vuln={vuln} />
  return (
    <Card title={`CVSSv${newest.version}`} aside={<CvssBadge version={newest.version} score={newest.score} />}>
      <Explained given={newest} />
      {others.map((given) => (
        <details key={given.version} className={classes.folded}>
          <summary>
            CVSSv{given.version} <CvssBadge version={given.version} score={given.score} />
          </summary>
          <Explained given={given} />
        </details>
      ))}
    </Card>
  )
}

/** If no source gives a CVSS, the description may state a severity. */
function StatedCard({ vuln: { summary, provenance } }: { vuln: VulnDetail }) {
  const stated = findStatedSeverity(summary)
  if (!stated) return null
  const { severity, score, words } = stated
  return (
    <Card
      title="Stated severity"
      aside={
        <Mark tone={severity === 'critical' || severity === 'high' ? 'alarm' : 'plain'}>
          {severityLabels[severity]} {score?.toFixed(1)}
        </Mark>
      }
    >
      <p className={classes.note}>
        The description{' '}
        {provenance.summary && (
          <>
            (<SourceName source={provenance.summary} />)
          </>
        )}{' '}
        says “{words}”. No source gives a CVSS yet, and the score does not count it.
      </p>
    </Card>
  )
}

function Explained({ given: { vector, source } }: { given: Given }) {
  return (
    <>
      {vector && <code className={classes.vector}>{vector}</code>}
      {vector && (
        <dl className={classes.words}>
          {explainVector(vector).map(({ metric, name, value, meaning }) => (
            <div key={metric}>
              <dt>
                <abbr title={`${metric}:${value}`}>{name}</abbr>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
      {source && <p className={classes.note}>By {source}</p>}
    </>
  )
}

function listGiven(vuln: VulnDetail): Given[] {
  const { cvss4, cvss4_vector, cvss4_source, cvss3, cvss3_vector, cvss3_source, cvss, cvss_vector, cvss_source } = vuln
  return [
    { version: 4, score: cvss4, vector: cvss4_vector, source: cvss4_source } as const,
    { version: 3, score: cvss3, vector: cvss3_vector, source: cvss3_source } as const,
    { version: 2, score: cvss, vector: cvss_vector, source: cvss_source } as const,
  ].flatMap(({ score, ...given }) => (score === null ? [] : [{ ...given, score }]))
}
