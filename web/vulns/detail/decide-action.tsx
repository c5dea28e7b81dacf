import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { QuietCard } from '../../decisions/quiet-card'
import type { DecisionChoice } from '../../decisions/decide-form'
import { statusQuery } from './api'
import classes from '../vuln-detail.module.css'
import { useReadOnly } from '../../session/known-org'
import { LazyPart } from '../../ui/lazy-part'

const DecideDialog = lazy(() => import('../../decisions/decide-dialog').then((one) => ({ default: one.DecideDialog })))

type Vuln = Pick<VulnDetail, 'id' | 'known_as' | 'monitored'>
type Deciding = { vuln: Vuln; choice: DecisionChoice | null; onClose: () => void }

function DecideWhenOpen({ vuln: { id, known_as }, choice, onClose }: Deciding) {
  const { data } = useQuery(statusQuery(id))
  return (
    choice && (
      <LazyPart onLost={onClose}>
        <DecideDialog
          title={`Decide on ${known_as}`}
          about={{ ids: [id] }}
          given={data}
          choice={choice}
          onClose={onClose}
        />
      </LazyPart>
    )
  )
}

export function DecideButton({ vuln }: { vuln: Vuln }) {
  const readOnly = useReadOnly()
  const { id, monitored } = vuln
  const { data } = useQuery(statusQuery(id))
  const [choice, setChoice] = useState<DecisionChoice | null>(null)
  if (!monitored || !data) return null
  const { note, owner, expires_at } = data
  const summary = [note, owner && `Owner: ${owner}`, expires_at && `until ${expires_at}`].filter(Boolean).join('; ')
  return (
    <>
      <Button
        variant="default"
        size="xs"
        className={classes.decide}
        disabled={readOnly.disabled ?? false}
        title={readOnly.title ?? (summary || undefined)}
        onClick={() => setChoice(data.status)}
      >
        {owner ? `Decide (${owner})` : 'Decide'}
      </Button>
      <DecideWhenOpen vuln={vuln} choice={choice} onClose={() => setChoice(null)} />
    </>
  )
}

export function AlertCard({ vuln }: { vuln: Vuln }) {
  const { id, monitored } = vuln
  const [choice, setChoice] = useState<DecisionChoice | null>(null)
  return (
    <>
      <QuietCard vuln_id={id} isMonitored={monitored} onDecide={setChoice} />
      <DecideWhenOpen vuln={vuln} choice={choice} onClose={() => setChoice(null)} />
    </>
  )
}
