import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { formatCount } from '../../lib/format'
import { AppLink, OutLink } from '../../ui/app-link'
import { CvssBadge } from '../../ui/cvss-badge'
import { Mark } from '../../ui/mark'
import { ScoreBadge } from '../../ui/score-badge'
import { StateMark } from '../../ui/state-mark'
import { LongText } from '../../vulns/long-text'
import classes from './bulletin.module.css'
import { WeaknessLink } from '../weakness-link'
import { productWords } from './product-words'

type Vuln = BulletinDetail['body']['vulns'][number]
type Known = BulletinDetail['vulns'][number]
type Products = BulletinDetail['body']['products']

type Props = { vuln: Vuln; known: Known | undefined; body: BulletinDetail['body'] }

export function BulletinCve({ vuln, known, body }: Props) {
  const { cveid, title, cwe_id, cvss, impact, note, statuses, justifications, threats } = vuln
  return (
    <li className={classes.cve}>
      <div className={classes.cveHead}>
        <strong>{cveid ? <CveLink cveid={cveid} known={known} /> : (title ?? 'Without an id')}</strong>
        {known?.state && <StateMark state={known.state} />}
        {known && known.id !== null && <ScoreBadge score={known.score} isProvisional={known.is_score_provisional} />}
        {cvss && <CvssBadge version={cvss.version} score={cvss.score} />}
        {cwe_id && <WeaknessLink cweId={cwe_id} />}
        {impact && impact.length <= 40 && <Mark tone="plain">{impact}</Mark>}
      </div>
      {cveid && title && <p className={classes.text}>{title}</p>}
      {note && <LongText text={note} />}
      <dl className={classes.statuses}>
        {statuses.map((one) => (
          <div key={one.status}>
            <dt>{statusWords[one.status]}</dt>
            <dd>
              <ProductNames {...one} all={body.products} />
            </dd>
          </div>
        ))}
        {justifications.map((one) => (
          <Remark key={JSON.stringify(one)} term="Because" about={productWords(one, body)}>
            {one.label.replaceAll('_', ' ')}
          </Remark>
        ))}
        {impact && impact.length > 40 && <Remark term="Impact">{impact}</Remark>}
        {threats.map((one) => (
          <Remark
            key={JSON.stringify(one)}
            term={threatWords[one.category] ?? 'Threat'}
            about={productWords(one, body)}
          >
            {one.details}
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

export function CveLink({ cveid, known }: { cveid: string; known: Known | undefined }) {
  if (known && known.id !== null) return <AppLink to={`/vulns/${known.id}`}>{cveid}</AppLink>
  return <OutLink href={`https://www.cve.org/CVERecord?id=${cveid}`}>{cveid}</OutLink>
}

const shownFirst = 4

function ProductNames({ products, count, all }: { products: number[]; count: number; all: Products }) {
  const [showsAll, setShowsAll] = useState(false)
  const visible = products.slice(0, showsAll ? products.length : shownFirst).flatMap((place) => all[place] ?? [])
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
