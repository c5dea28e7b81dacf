import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatRatingVector, parseRatingVector, type RatingMetrics } from '../../worker/domain/scores/rating-vector'
import type { VulnRating } from '../../worker/ratings/contract'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Fact, Facts } from '../ui/facts'
import { FailedLine } from '../ui/failed-line'
import { FailedState } from '../ui/failed-state'
import { ScoreBadge } from '../ui/score-badge'
import { calcQuery } from './api'
import classes from './rating.module.css'

type Props = { id: number; metrics: RatingMetrics; vector: string; onOpen: (vector: string) => void }

export function RatedVuln({ id, metrics, vector, onOpen }: Props) {
  const { data: own, error, refetch } = useQuery(calcQuery(id, {}))
  const onAsset = useQuery(calcQuery(id, metrics))
  return (
    <Card title={`PH-${id}`} aside={<AppLink to={`/vulns/${id}`}>Back to PH-{id}</AppLink>}>
      {error && !own && <FailedState title="Unable to get vuln ratings" query={{ error, refetch }} />}
      {own && (
        <Facts>
          <Fact label="Its own rating">
            <ScoreBadge of={{ score: own.score, is_score_provisional: false }} />
          </Fact>
          <Fact label="CVSS v2, adjusted">
            {onAsset.data && <Adjusted cvss={onAsset.data.cvssv2adj} />}
            <FailedLine text="It could not be computed." query={onAsset} />
          </Fact>
        </Facts>
      )}
      {own?.vector === '' && (
        <p className={classes.note}>
          Nobody has given it a CVSS vector yet: this is the default rating. A score on its page is provisional.
        </p>
      )}
      {own?.vector && !isSame(own.vector, vector) && (
        <Button size="xs" mt={8} onClick={() => onOpen(own.vector)}>
          Its own vector
        </Button>
      )}
    </Card>
  )
}

// The vector of a vulnerability may spell impacts or unknown metrics differently.
const isSame = (own: string, vector: string) => formatRatingVector(parseRatingVector(own).metrics) === vector

const names = ['base', 'temporal', 'environmental']

function Adjusted({ cvss }: { cvss: VulnRating['cvssv2adj'] }) {
  const known = (cvss ?? []).flatMap((score, at) => (score === null ? [] : [`${score.toFixed(1)} ${names[at]}`]))
  return <>{known.length ? known.join(', ') : 'n/a'}</>
}
