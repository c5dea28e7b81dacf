import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { isExploitedBy } from '../../../worker/domain/names/catalogues'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { tellAssumed } from '../../../worker/domain/decisions/due'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { HelpLink } from '../../ui/help-link'
import { KevMark } from '../../ui/kev-mark'
import { Timestamp, Dated } from '../../ui/timestamp'
import { LinkedText } from './linked-text'
import classes from '../vuln-detail.module.css'
import { useAccess } from '../../session/access'
import { DueWords } from '../risk-marks'

const catalogue = 'https://www.cisa.gov/known-exploited-vulnerabilities-catalog'

export function KevCard({ kev, exploited_by, due_reason }: Pick<VulnDetail, 'kev' | 'exploited_by' | 'due_reason'>) {
  const help = <HelpLink topic="scores" about="what KEV says" />
  // CISA's claim stands in words of its own, while it stands.
  const others = exploited_by.filter(({ by, withdrawn }) => by !== 'cisa' || withdrawn !== null)
  const claims = others.map((claim, at) => <Claim key={at} claim={claim} />)
  const isExploited = others.some((claim) => claim.withdrawn === null && isExploitedBy(claim))
  // By another policy the organization has a day of its own.
  const isDay = due_reason?.due_policy === 'cisa_kev'
  if (!kev)
    return (
      <Card title="Known exploited" aside={help}>
        <p className={classes.figure}>{isExploited ? 'Exploited' : 'Not listed'}</p>
        {claims}
        <p className={classes.note}>Not in CISA’s catalogue (KEV).{!isExploited && ' It may still be exploited.'}</p>
      </Card>
    )
  return (
    <Card title="Known exploited" aside={help}>
      <p className={classes.figure}>
        {kev.due && isDay ? <Dated words="Due" at={kev.due} /> : 'Listed'} <KevMark />
      </p>
      <p className={classes.note}>
        Listed by <OutLink href={catalogue}>CISA</OutLink> on <Timestamp at={kev.added} />.{' '}
        {kev.due && !isDay && <>CISA’s own day is {kev.due}. </>}
        {kev.ransomware ? 'Used in ransomware campaigns.' : 'Not known to be used by ransomware.'}
      </p>
      {claims}
    </Card>
  )
}

type Claim = VulnDetail['exploited_by'][number]

const Claim = ({ claim }: { claim: Claim }) => (
  <p className={classes.note}>
    {describeVoice(claim)} <OutLink href={claim.link}>{claim.name}</OutLink>
    <Dated words=" on" at={claim.added} />
    <Dated words=", which took it back on" at={claim.withdrawn} />
    {claim.notes && `: ${claim.notes}`}
    {claim.evidence.length > 0 && ` (evidence: ${claim.evidence.map(describeEvidence).join('; ')})`}
  </p>
)

function describeVoice(claim: Claim) {
  if (!claim.exploited) return 'Called not exploited by'
  return isExploitedBy(claim) ? 'Listed by' : `Listed as ${claim.reason} by`
}

const describeEvidence = ({ type, signal, confidence, source }: Claim['evidence'][number]) =>
  [
    type.replaceAll('_', ' '),
    signal?.replaceAll('_', ' '),
    source && `from ${source}`,
    confidence !== undefined && `${Math.round(confidence * 100)}% sure`,
  ]
    .filter(Boolean)
    .join(', ')

export function KevAction({ kev }: Pick<VulnDetail, 'kev'>) {
  if (!kev || !(kev.product || kev.action || kev.notes)) return null
  return (
    <Card title="What CISA says to do">
      {kev.product && (
        <p className={classes.note}>
          {kev.vendor} {kev.product}
        </p>
      )}
      {kev.action && <Action text={kev.action} due={kev.due} />}
      {kev.notes && (
        <p className={classes.kevText}>
          <LinkedText text={kev.notes} />
        </p>
      )}
    </Card>
  )
}

const long = 200

/** Long actions mostly say the same: shows two lines of them until somebody opens the rest. */
function Action({ text, due }: { text: string; due: string | null }) {
  const [showsAll, setShowsAll] = useState(text.length <= long)
  return (
    <>
      <p className={classes.kevText} data-cut={!showsAll || undefined}>
        {text}
        {due && (
          <>
            {' '}
            Due{' '}
            <b>
              <Timestamp at={due} />
            </b>
            .
          </>
        )}
      </p>
      {!showsAll && (
        <UnstyledButton className={classes.more} onClick={() => setShowsAll(true)}>
          Show all of it
        </UnstyledButton>
      )}
    </>
  )
}

type Props = { due: string | null; reason: VulnDetail['due_reason'] }

/** Why this day. CISA's text of KEV stands in a card of its own. */
export function DueCard({ due, reason }: Props) {
  const mayEdit = useAccess()('manageOrg')
  if (!reason || reason.due_policy === 'cisa_kev') return null
  const unsure = tellAssumed(reason.assumed)
  return (
    <Card title="Due date" aside={mayEdit && <AppLink to="/settings?tab=orgs">Policy</AppLink>}>
      <p className={classes.figure}>
        {due ? (
          <>
            {due}, <DueWords due={due} />
          </>
        ) : (
          tellNoDay(reason)
        )}
      </p>
      <p className={classes.kevText}>{reason.text}.</p>
      {unsure && <p className={classes.note}>{unsure}</p>}
      {reason.publicly_exposed === null && (
        <p className={classes.note}>
          Say in <AppLink to="/monitoring">Monitoring</AppLink> whether the public reaches what is affected.
        </p>
      )}
      {reason.since && reason.days !== null && (
        <p className={classes.note}>
          Counted from <Timestamp at={reason.since} />, when CISA listed it or you could first know of it.
        </p>
      )}
    </Card>
  )
}

function tellNoDay({ due_policy, days, since }: NonNullable<Props['reason']>) {
  if (days !== null && since === null) return 'Not monitored: nothing is due'
  return due_policy === 'own' ? 'No deadline' : 'At the next upgrade'
}
