import { explainVector } from '../../../worker/domain/cvss'
import { Card } from '../../ui/card'
import { CvssBadge } from '../../ui/cvss-badge'
import classes from '../vuln-detail.module.css'

type Props = { name: string; version: 2 | 3 | 4; score: number | null; vector: string | null; source: string | null }

export function CvssCard({ name, version, score, vector, source }: Props) {
  return (
    <Card title={name} aside={<CvssBadge version={version} score={score} />}>
      {vector && <code className={classes.vector}>{vector}</code>}
      {vector && (
        <dl className={classes.words}>
          {explainVector(vector).map(({ metric, name: label, value, meaning }) => (
            <div key={metric}>
              <dt>
                <abbr title={`${metric}:${value}`}>{label}</abbr>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className={classes.note}>{score === null ? 'Not scored in this version.' : source && `By ${source}`}</p>
    </Card>
  )
}
