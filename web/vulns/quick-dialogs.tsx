import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type * as z from 'zod'
import type { MadeDecisionInput, SnoozeChange } from '../../worker/decisions/decide-contract'
import { useSession } from '../session/session'
import { useToday } from '../session/use-today'
import { ChoiceBox } from '../ui/choice-box'
import type { Offer } from '../ui/choice-list'
import { assigneesQuery } from '../decisions/api'

type Until = Pick<z.input<typeof SnoozeChange>, 'until' | 'on_fix' | 'on_kev' | 'on_exploit'>
/** Made by one choice of a list. */
export type QuickChange = { kind: 'assign'; user_id: number | null } | { kind: 'snooze'; until: Until }
export type QuickQuestion = QuickChange['kind']

export const toQuickDecision = (change: QuickChange, ids: number[]): MadeDecisionInput =>
  change.kind === 'assign'
    ? { scope: 'assignee', ids, decision: { user_id: change.user_id } }
    : { scope: 'alerts', ids, decision: change.until }

type Props = { asking: QuickQuestion | null; onChange: (change: QuickChange) => void; onClose: () => void }

export function QuickDialogs({ asking, ...props }: Props) {
  if (asking === 'snooze') return <SnoozeDialog {...props} />
  return asking === 'assign' ? <AssignDialog {...props} /> : null
}

type DialogProps = Omit<Props, 'asking'>

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

function SnoozeDialog({ onChange, onClose }: DialogProps) {
  const today = useToday()
  const offer = (group: string, label: string, until: Until): Offer => ({
    id: label,
    group,
    label,
    hint: until.until,
    run: () => onChange({ kind: 'snooze', until }),
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
  return <Chooser title="Snooze" placeholder="tomorrow, week, fix …" offers={offers} onClose={onClose} />
}

function AssignDialog({ onChange, onClose }: DialogProps) {
  const { user } = useSession()
  const { data, error, refetch } = useQuery(assigneesQuery)
  const offer = (label: string, id: number | null, hint?: string): Offer => ({
    id: String(id),
    group: 'Assign to',
    label,
    hint,
    run: () => onChange({ kind: 'assign', user_id: id }),
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
  return <Chooser title="Assign" placeholder="The name of a member" offers={offers} onClose={onClose} />
}

type ChooserProps = { title: string; placeholder: string; offers: Offer[]; onClose: () => void }

function Chooser({ offers, ...props }: ChooserProps) {
  const [text, setText] = useState('')
  const fitting = offers.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
  return <ChoiceBox {...props} text={text} onType={setText} choices={fitting} nothing="Nothing found" />
}
