import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import classes from '../vuln-detail.module.css'

const shownFirst = 9

export function WeaknessCard({ vuln: { cwe_ids, cwe_name, cwe_refs } }: { vuln: VulnDetail }) {
  const { CAPEC: patterns } = cwe_refs
  const [showsAll, setShowsAll] = useState(false)
  const visible = showsAll ? patterns : patterns.slice(0, shownFirst)
  if (cwe_ids.length === 0) return null
  return (
    <Card title="Weakness">
      <ul className={classes.references}>
        {cwe_ids.map((cwe_id, at) => (
          <li key={cwe_id}>
            <AppLink to={`/kb/cwe/${cwe_id.replace('CWE-', '')}`}>{cwe_id}</AppLink>
            {at === 0 && cwe_name}
          </li>
        ))}
      </ul>
      {patterns.length > 0 && (
        <>
          <h3 className={classes.subtitle}>Attack patterns</h3>
          <p className={classes.tags}>
            {visible.map((pattern) => (
              <OutLink
                key={pattern}
                href={`https://capec.mitre.org/data/definitions/${pattern.replace('CAPEC-', '')}.html`}
              >
                {pattern}
              </OutLink>
            ))}
            {visible.length < patterns.length && (
              <UnstyledButton className={classes.more} onClick={() => setShowsAll(true)}>
                {patterns.length - visible.length} more
              </UnstyledButton>
            )}
          </p>
        </>
      )}
    </Card>
  )
}
