import { explainVector } from '../../../worker/domain/scores/cvss'
import { severityLabels } from '../../../worker/domain/scores/severity'
import { findStatedSeverity } from '../../../worker/domain/scores/stated-severity'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { Card } from '../../ui/card'
import { CvssBadge } from '../../ui/cvss-badge'
import { Mark } from '../../ui/mark'
import classes from '../vuln-detail.module.css'
import { SourceName } from './source-name'

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
