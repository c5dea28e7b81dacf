import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { IconBellOff } from '@tabler/icons-react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { vulnStatuses, type VulnStatus } from '../../../worker/domain/decisions/status'
import { QuietCard } from '../../decisions/quiet-card'
import type { DecisionChoice } from '../../decisions/decide-form'
import { statusQuery } from './api'
import classes from '../vuln-detail.module.css'
import { useReadOnly } from '../../session/known-org'
import { LazyPart } from '../../ui/lazy-part'
import { FailedLine } from '../../ui/failed-line'
import { openByArrows } from '../../ui/open-by-arrows'
import { statusLabels } from '../../lib/status-labels'
import { decideMutation, snoozeQuery } from '../../decisions/api'
import { QuickDialogs, toQuickDecision, type QuickChange, type QuickQuestion } from '../quick-dialogs'
import { marksQuery } from '../seen-marks'
import { WriteButton } from '../../session/write-button'

const DecideDialog = lazy(() => import('../../decisions/decide-dialog').then((it) => ({ default: it.DecideDialog })))

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

const isStatus = (value: string): value is VulnStatus => (vulnStatuses as readonly string[]).includes(value)

/** Selectable only when monitored (S2 §4). */
export function StatusSelect({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const query = useQuery(statusQuery(id))
  const { data } = query
  const { mutate } = useMutation(decideMutation)
  const [sending, setSending] = useState<VulnStatus>()
  const readOnly = useReadOnly()
  const send = (status: VulnStatus) => {
    setSending(status)
    mutate({ scope: 'vulnerability', ids: [id], decision: { status } }, { onSettled: () => setSending(undefined) })
  }
  // Shows the new status while it is being sent: with the old one, each further key would send again.
  const status = sending ?? (monitored && data?.status)
  if (query.error) return <FailedLine text="The status could not be loaded." query={query} />
  return (
    <NativeSelect
      size="xs"
      aria-label="Status"
      title={monitored ? readOnly.title : 'Monitor the vulnerability to give it a status'}
      aria-busy={!!sending}
      disabled={!monitored || !data || readOnly.disabled}
      value={status || 'undefined'}
      onKeyDown={openByArrows}
      // Not disabled while sending: that would take the focus from keyboard users.
      onChange={({ currentTarget: { value } }) => !sending && isStatus(value) && send(value)}
      data={vulnStatuses.map((value) => ({ value, label: statusLabels[value] }))}
    />
  )
}

/** Two taps each, for somebody who is woken by an alert. The buttons stay, as the focus comes back to them. */
export function QuickActions({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const { data } = useQuery(marksQuery([id]))
  const { data: quiet, isPending } = useQuery(snoozeQuery(id, monitored))
  const { mutate } = useMutation(decideMutation)
  const [asking, setAsking] = useState<QuickQuestion | null>(null)
  const mark = data?.results.find((row) => row.id === id)
  if (!monitored || !mark || isPending) return null
  const isAccepted = quiet?.snooze?.kind === 'accepted' && quiet.snooze.woken_by === null
  const change = (chosen: QuickChange) => {
    setAsking(null)
    mutate(toQuickDecision(chosen, [id]))
  }
  return (
    <>
      {!isAccepted && (
        <WriteButton
          size="xs"
          leftSection={mark.is_snoozed && <IconBellOff size={14} aria-hidden />}
          onClick={() => setAsking('snooze')}
        >
          {mark.is_snoozed ? 'Snoozed' : 'Snooze'}
        </WriteButton>
      )}
      <WriteButton size="xs" onClick={() => setAsking('assign')}>
        {mark.assignee ? `Assigned to ${mark.assignee.name}` : 'Assign'}
      </WriteButton>
      <QuickDialogs asking={asking} onChange={change} onClose={() => setAsking(null)} />
    </>
  )
}
