import { IconBellOff } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { decideMutation, snoozeQuery } from '../../decisions/api'
import { QuickDialogs, toQuickDecision } from '../quick-dialogs'
import type { QuickChange, QuickQuestion } from '../quick-dialogs'
import { marksQuery } from '../seen-marks'
import { WriteButton } from '../../session/write-button'

/** Two taps each, for somebody who is woken by an alert. The buttons stay, as the focus comes back to them. */
export function QuickActions({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const { data } = useQuery(marksQuery([id]))
  const { data: quiet, isPending } = useQuery(snoozeQuery(id, monitored))
  const { mutate } = useMutation(decideMutation)
  const [asking, setAsking] = useState<QuickQuestion | null>(null)
  const mark = data?.results.find((one) => one.id === id)
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
          variant="default"
          leftSection={mark.is_snoozed && <IconBellOff size={14} aria-hidden />}
          onClick={() => setAsking('snooze')}
        >
          {mark.is_snoozed ? 'Snoozed' : 'Snooze'}
        </WriteButton>
      )}
      <WriteButton size="xs" variant="default" onClick={() => setAsking('assign')}>
        {mark.assignee ? `Assigned to ${mark.assignee.name}` : 'Assign'}
      </WriteButton>
      <QuickDialogs asking={asking} onChange={change} onClose={() => setAsking(null)} />
    </>
  )
}
