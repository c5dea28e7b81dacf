import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { plural } from '../../lib/format'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import classes from '../vuln-detail.module.css'

export function WeaknessCard({ vuln: { cwe_ids, cwe_names, cwe_refs } }: { vuln: VulnDetail }) {
  const { CAPEC: patterns } = cwe_refs
  if (cwe_ids.length === 0) return null
  return (
    <Card title="Weakness">
      <ul className={classes.references}>
        {cwe_ids.map((cwe_id) => (
          <li key={cwe_id}>
            <AppLink to={`/kb/cwe/${cwe_id.replace('CWE-', '')}`}>{cwe_id}</AppLink>
            {cwe_names[cwe_id]}
          </li>
        ))}
      </ul>
      {patterns.length > 0 && (
        <details>
          <summary className={classes.more}>{plural(patterns.length, 'attack pattern')} of CAPEC</summary>
          <p className={classes.tags}>
            {patterns.map((pattern) => (
              <OutLink
                key={pattern}
                href={`https://capec.mitre.org/data/definitions/${pattern.replace('CAPEC-', '')}.html`}
              >
                {pattern}
              </OutLink>
            ))}
          </p>
        </details>
      )}
    </Card>
  )
}

type Technique = VulnDetail['attack_techniques'][number]

/** Techniques that merely follow from a weakness fit thousands of vulnerabilities, so they are folded. */
export function TechniqueCard({ techniques }: { techniques: Technique[] }) {
  const exposed = techniques.filter(({ reason }) => reason === 'exposure')
  const derived = techniques.filter(({ reason }) => reason === 'weakness')
  if (techniques.length === 0) return null
  return (
    <Card title="ATT&CK techniques">
      {exposed.length > 0 && (
        <>
          <p className={classes.note}>Reached over a network without authentication:</p>
          <TechniqueList techniques={exposed} />
        </>
      )}
      {derived.length > 0 && (
        <details>
          <summary className={classes.more}>
            {plural(derived.length, 'technique')} that {derived.length === 1 ? 'follows' : 'follow'} from its CWE alone
          </summary>
          <TechniqueList techniques={derived} />
        </details>
      )}
    </Card>
  )
}

const TechniqueList = ({ techniques }: { techniques: Technique[] }) => (
  <ul className={classes.references}>
    {techniques.map(({ external_id, url, description }) => (
      <li key={external_id}>
        <OutLink href={url}>{external_id}</OutLink> {description}
      </li>
    ))}
  </ul>
)

const exploitations = { none: 'None known', poc: 'Proof of concept', active: 'Active' }

export function SsvcCard({ ssvc }: Pick<VulnDetail, 'ssvc'>) {
  if (!ssvc) return null
  const rows: [string, string][] = [
    ['Exploitation', ssvc.exploitation ? exploitations[ssvc.exploitation] : 'n/a'],
    ['Automatable', ssvc.automatable === null ? 'n/a' : ssvc.automatable ? 'Yes' : 'No'],
    [
      'Technical impact',
      ssvc.technical_impact === null ? 'n/a' : ssvc.technical_impact === 'total' ? 'Total' : 'Partial',
    ],
  ]
  return (
    <Card title="SSVC">
      <dl className={classes.words}>
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.note}>
        According to{' '}
        <OutLink href="https://www.cisa.gov/stakeholder-specific-vulnerability-categorization-ssvc">CISA</OutLink>.
      </p>
    </Card>
  )
}
