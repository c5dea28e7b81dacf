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
