import { Button, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router-dom'
import type { WeaknessDetail } from '../../../worker/taxonomy/contract'
import { isNotFound } from '../../lib/not-found'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { FailedState } from '../../ui/failed-state'
import { MissingState } from '../../ui/missing-state'
import { Page } from '../../ui/page'
import { LongText } from '../../vulns/long-text'
import classes from './weakness.module.css'
import { weaknessQuery } from './api'
import { WeaknessLink } from '../weakness-link'
import { WeaknessPatterns, WeaknessTechniques } from './weakness-patterns'
import { ensureWithId } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

export const startWeakness = (place: Place) => ensureWithId(place, weaknessQuery)

export function WeaknessPage() {
  const { id = '' } = useParams()
  const number = /^(?:CWE-)?([1-9]\d{0,5})$/i.exec(id)?.[1]
  return number ? <Weakness id={Number(number)} /> : <NoWeakness />
}

const NoWeakness = () => <MissingState title="Weakness not found" to="/vulns" label="All vulnerabilities" />

function Weakness({ id }: { id: number }) {
  const { data: weakness, error, refetch } = useQuery(weaknessQuery(id))

  if (isNotFound(error)) return <NoWeakness />
  return (
    <Page
      title={weakness ? `${weakness.cwe_id} ${weakness.name}` : `CWE-${id}`}
      actions={
        <Button component={Link} to={`/vulns?cwe_id=CWE-${id}`} variant="default" size="xs">
          Vulnerabilities of this kind
        </Button>
      }
    >
      {error && !weakness && (
        <FailedState title="Unable to get the weakness" error={error} onRetry={() => void refetch()} />
      )}
      {weakness ? <Contents weakness={weakness} /> : !error && <Skeleton height={240} />}
    </Page>
  )
}

function Contents({ weakness }: { weakness: WeaknessDetail }) {
  const { id, description, abstraction, status, likelihood, related } = weakness
  return (
    <Stack gap="md">
      <Card title="Description">
        <LongText text={description || 'No description.'} />
        <Facts>
          <Fact label="Abstraction">{abstraction ?? 'n/a'}</Fact>
          <Fact label="Status">{status ?? 'n/a'}</Fact>
          <Fact label="Likelihood of exploit">{likelihood ?? 'n/a'}</Fact>
          <Fact label="Source">
            <OutLink href={`https://cwe.mitre.org/data/definitions/${id}.html`}>{`CWE-${id} at MITRE`}</OutLink>
          </Fact>
        </Facts>
      </Card>
      <WeaknessPatterns weakness={weakness} />
      <WeaknessTechniques weakness={weakness} />
      {related.length > 0 && (
        <Card title="Related weaknesses">
          <ul className={classes.list}>
            {related.map(({ nature, id: other, cwe_id, name }) => (
              <li key={`${nature} ${other}`}>
                {words(nature)} <WeaknessLink cweId={cwe_id} name={name} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Stack>
  )
}

// ChildOf → Child of
const words = (nature: string) => nature.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
