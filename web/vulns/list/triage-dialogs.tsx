import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../session/session'
import { useToday } from '../../session/use-today'
import { ChoiceBox } from '../../ui/choice-box'
import type { Offer } from '../../ui/choice-list'
import { assigneesQuery } from '../../decisions/api'
import type { Until } from './inbox-api'
import type { Triage } from './use-triage'

export function TriageDialogs({ triage }: { triage: Triage }) {
  if (triage.asking === 'snooze') return <SnoozeDialog triage={triage} />
  return triage.asking === 'assign' ? <AssignDialog triage={triage} /> : null
}

const spans = [
  ['Until tomorrow', 1],
  ['For a week', 7],
  ['For 30 days', 30],
  ['For 90 days', 90],
] as const
const happenings = [
  ['Until a fix is published', { on_fix: true }],
  ['Until CISA lists it as exploited (KEV)', { on_kev: true }],
  ['Until an exploit is seen', { on_exploit: true }],
] as const

/** Snoozes end with days of UTC: of the two, one that has begun by either clock. */
function dayAfter(today: string, days: number) {
  const now = Math.max(Date.parse(today), Date.now())
  return new Date(now + days * 86_400_000).toISOString().slice(0, 10)
}

function SnoozeDialog({ triage: { change, setAsking } }: { triage: Triage }) {
  const today = useToday()
  const offer = (group: string, label: string, until: Until): Offer => ({
    id: label,
    group,
    label,
    hint: until.until,
    run: () => change({ kind: 'snooze', until }),
  })
  const offers = [
    // As by the links of messages: news that is urgent meanwhile would never be told.
    ...spans.map(([label, days]) =>
      offer('By time, or until it is exploited', label, {
        until: dayAfter(today, days),
        on_kev: true,
        on_exploit: true,
      }),
    ),
    ...happenings.map(([label, until]) => offer('By what happens', label, until)),
  ]
  return <Chooser title="Snooze" placeholder="tomorrow, week, fix …" offers={offers} onClose={() => setAsking(null)} />
}

function AssignDialog({ triage: { change, setAsking } }: { triage: Triage }) {
  const { user } = useSession()
  const { data, error, refetch } = useQuery(assigneesQuery)
  const offer = (label: string, id: number | null, hint?: string): Offer => ({
    id: String(id),
    group: 'Assign to',
    label,
    hint,
    run: () => change({ kind: 'assign', user_id: id }),
  })
  const others = (data?.results ?? []).filter(({ id }) => id !== user?.id)
  const offers = [
    ...(user ? [offer(user.username, user.id, 'you')] : []),
    ...others.map(({ id, name }) => offer(name, id)),
    offer('Nobody', null),
    ...(error
      ? [{ ...offer('Retry: the members could not be loaded', null), id: 'retry', run: () => void refetch() }]
      : []),
  ]
  return <Chooser title="Assign" placeholder="The name of a member" offers={offers} onClose={() => setAsking(null)} />
}

type ChooserProps = { title: string; placeholder: string; offers: Offer[]; onClose: () => void }

function Chooser({ offers, ...props }: ChooserProps) {
  const [text, setText] = useState('')
  const fitting = offers.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
  return <ChoiceBox {...props} text={text} onType={setText} choices={fitting} nothing="Nothing found" />
}
