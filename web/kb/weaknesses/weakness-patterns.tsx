import type { WeaknessDetail } from '../../../worker/taxonomy/contract'
import { formatCount } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import classes from './weakness.module.css'
import { OneLine } from '../one-line'

export function WeaknessPatterns({ weakness: { patterns } }: { weakness: WeaknessDetail }) {
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

export function WeaknessTechniques({ weakness: { techniques } }: { weakness: WeaknessDetail }) {
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
