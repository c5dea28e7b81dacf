import { Button } from '@mantine/core'
import { useState } from 'react'
import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { BulletinCve, CveLink } from './bulletin-cve'
import classes from './bulletin.module.css'

const shownFirst = 10

/** A long document is stored in part; its other CVEs are named without details. */
export function BulletinCves({ bulletin: { vulns, body } }: { bulletin: BulletinDetail }) {
  const [showsAll, setShowsAll] = useState(false)
  const known = new Map(vulns.map((vuln) => [vuln.cveid, vuln]))
  const described = new Set(body.vulns.map(({ cveid }) => cveid))
  const undescribed = vulns.filter(({ cveid }) => !described.has(cveid))
  const visible = showsAll ? body.vulns : body.vulns.slice(0, shownFirst)

  if (body.vulns_count === 0) return <Card title="CVEs">This bulletin names no vulnerability.</Card>
  return (
    <Card title={`CVEs (${formatCount(body.vulns_count)})`}>
      <ul className={classes.cves}>
        {visible.map((vuln, at) => (
          <BulletinCve
            key={`${vuln.cveid ?? vuln.title} ${at}`}
            vuln={vuln}
            known={vuln.cveid ? known.get(vuln.cveid) : undefined}
            body={body}
          />
        ))}
      </ul>
      {visible.length < body.vulns.length && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show {formatCount(body.vulns.length - visible.length)} more
        </Button>
      )}
      {undescribed.length > 0 && (
        <details className={classes.details}>
          <summary>{plural(undescribed.length, 'more CVE')} in the document</summary>
          <ul className={classes.names}>
            {undescribed.map((one) => (
              <li key={one.cveid}>
                <CveLink cveid={one.cveid} known={one} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {vulns.length > 0 && (
        <AppLink to={`/kb/bulletins?${new URLSearchParams({ cveid: vulns[0]?.cveid ?? '' })}`} className={classes.note}>
          {`Other bulletins about ${vulns[0]?.cveid}`}
        </AppLink>
      )}
    </Card>
  )
}
