import { Button, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { formatCount, plural } from '../../lib/format'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import classes from './bulletin.module.css'
import { CvssBadge } from '../../ui/cvss-badge'
import { Mark } from '../../ui/mark'
import { ScoreBadge } from '../../ui/score-badge'
import { StateMark } from '../../ui/state-mark'
import { LongText } from '../../vulns/long-text'
import { WeaknessLink } from '../weakness-link'
import { productWords } from './bulletin-remedies'

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
            {undescribed.map((vuln) => (
              <li key={vuln.cveid}>
                <CveLink cveid={vuln.cveid} known={vuln} />
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

type Vuln = BulletinDetail['body']['vulns'][number]
type Known = BulletinDetail['vulns'][number]
type Products = BulletinDetail['body']['products']

type BulletinCveProps = { vuln: Vuln; known: Known | undefined; body: BulletinDetail['body'] }

function BulletinCve({ vuln, known, body }: BulletinCveProps) {
  const { cveid, title, cwe_id, cvss, impact, note, statuses, justifications, threats } = vuln
  return (
    <li className={classes.cve}>
      <div className={classes.cveHead}>
        <strong>{cveid ? <CveLink cveid={cveid} known={known} /> : (title ?? 'Without an id')}</strong>
        {known?.state && <StateMark state={known.state} />}
        {known && known.id !== null && <ScoreBadge of={known} />}
        {cvss && <CvssBadge version={cvss.version} score={cvss.score} />}
        {cwe_id && <WeaknessLink cweId={cwe_id} />}
        {impact && impact.length <= 40 && <Mark tone="plain">{impact}</Mark>}
      </div>
      {cveid && title && <p className={classes.text}>{title}</p>}
      {note && <LongText text={note} />}
      <dl className={classes.statuses}>
        {statuses.map((status) => (
          <div key={status.status}>
            <dt>{statusWords[status.status]}</dt>
            <dd>
              <ProductNames {...status} all={body.products} />
            </dd>
          </div>
        ))}
        {justifications.map((justification) => (
          <Remark key={JSON.stringify(justification)} term="Because" about={productWords(justification, body)}>
            {justification.label.replaceAll('_', ' ')}
          </Remark>
        ))}
        {impact && impact.length > 40 && <Remark term="Impact">{impact}</Remark>}
        {threats.map((threat) => (
          <Remark
            key={JSON.stringify(threat)}
            term={threatWords[threat.category] ?? 'Threat'}
            about={productWords(threat, body)}
          >
            {threat.details}
          </Remark>
        ))}
      </dl>
    </li>
  )
}

type RemarkProps = { term: string; about?: string | null; children: string }

const Remark = ({ term, about, children }: RemarkProps) => (
  <div>
    <dt>{term}</dt>
    <dd>
      {children}
      {about && <span className={classes.note}>For {about}</span>}
    </dd>
  </div>
)

const threatWords: Record<string, string> = { impact: 'Impact', exploit_status: 'Exploits', target_set: 'Targets' }

const statusWords = {
  affected: 'Affected',
  fixed: 'Fixed',
  not_affected: 'Not affected',
  under_investigation: 'Under investigation',
  recommended: 'Recommended',
}

function CveLink({ cveid, known }: { cveid: string; known: Known | undefined }) {
  if (known && known.id !== null) return <AppLink to={`/vulns/${known.id}`}>{cveid}</AppLink>
  return <OutLink href={`https://www.cve.org/CVERecord?id=${cveid}`}>{cveid}</OutLink>
}

const shownProducts = 4

function ProductNames({ products, count, all }: { products: number[]; count: number; all: Products }) {
  const [showsAll, setShowsAll] = useState(false)
  const visible = products.slice(0, showsAll ? products.length : shownProducts).flatMap((place) => all[place] ?? [])
  const hidden = products.length - visible.length
  const cut = count - products.length
  return (
    <ul className={classes.names}>
      {visible.map(({ vendor, product, version }) => (
        <li key={`${vendor} ${product} ${version}`}>{[product, version].filter(Boolean).join(' ')}</li>
      ))}
      {hidden > 0 && (
        <li>
          <UnstyledButton className={classes.more} onClick={() => setShowsAll(true)}>
            {formatCount(hidden)} more
          </UnstyledButton>
        </li>
      )}
      {cut > 0 && hidden === 0 && <li>{formatCount(cut)} more in the document</li>}
    </ul>
  )
}
