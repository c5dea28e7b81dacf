import { Button, Skeleton, Stack } from '@mantine/core'
import { Link } from 'react-router-dom'
import { getWeakness, type WeaknessDetail } from '../../../worker/taxonomy/contract'
import { askFor } from '../../lib/ask'
import { readId, useNamedRow } from '../../lib/id-param'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { Loaded } from '../../ui/loaded'
import { MissingState } from '../../ui/missing-state'
import { Page } from '../../ui/page'
import { LongText } from '../../vulns/long-text'
import classes from './weakness.module.css'
import { WeaknessLink } from '../weakness-link'
import { ensureWithId, type Place } from '../../lib/ensure'
import { formatCount } from '../../lib/format'
import { Mark } from '../../ui/mark'
import { OneLine } from '../one-line'

const weaknessQuery = (id: number) => askFor(['weaknesses', 'detail', id], getWeakness, { params: { id: String(id) } })

const readWeaknessId = (name = '') => readId(/^(?:CWE-)?(\d{1,6})$/i.exec(name)?.[1])

export const startWeakness = (place: Place) => ensureWithId(place, weaknessQuery)

export function WeaknessPage() {
  const { id, found, isMissing } = useNamedRow(weaknessQuery, readWeaknessId)
  const { data: weakness } = found
  if (isMissing) return <MissingState title="Weakness not found" to="/vulns" label="All vulnerabilities" />
  return (
    <Page
      title={weakness ? `${weakness.cwe_id} ${weakness.name}` : `CWE-${id}`}
      actions={
        <Button component={Link} to={`/vulns?cwe_id=CWE-${id}`} size="xs">
          Vulnerabilities of this kind
        </Button>
      }
    >
      <Loaded query={found} failed="Unable to get the weakness" waiting={<Skeleton height={240} />}>
        {(loaded) => <Contents weakness={loaded} />}
      </Loaded>
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

function WeaknessPatterns({ weakness: { patterns } }: { weakness: WeaknessDetail }) {
  if (patterns.length === 0)
    return <Card title="Attack patterns (CAPEC)">CAPEC lists no attack pattern for this weakness.</Card>
  return (
    <Card title={`Attack patterns (CAPEC, ${formatCount(patterns.length)})`}>
      <ul className={classes.list}>
        {patterns.map(({ capec_id, name, description, likelihood, severity, technique_ids }) => (
          <li key={capec_id}>
            <div className={classes.head}>
              <OutLink href={`https://capec.mitre.org/data/definitions/${capec_id.replace('CAPEC-', '')}.html`}>
                {`${capec_id} ${name}`}
              </OutLink>
              {severity && <Mark tone="plain">Severity: {severity}</Mark>}
              {likelihood && <Mark tone="plain">Likelihood: {likelihood}</Mark>}
              {technique_ids.length > 0 && <span className={classes.note}>{technique_ids.join(', ')}</span>}
            </div>
            <OneLine text={description} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function WeaknessTechniques({ weakness: { techniques } }: { weakness: WeaknessDetail }) {
  if (techniques.length === 0) return <Card title="MITRE ATT&CK">No ATT&CK technique is linked to this weakness.</Card>
  return (
    <Card title={`MITRE ATT&CK (${formatCount(techniques.length)})`}>
      <ul className={classes.list}>
        {techniques.map(({ external_id, name, url, description, domains }) => (
          <li key={external_id}>
            <div className={classes.head}>
              <OutLink href={url}>{`${external_id} ${name}`}</OutLink>
              {domains.map((domain) => (
                <Mark key={domain} tone="plain">
                  {domain}
                </Mark>
              ))}
            </div>
            <OneLine text={description} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
