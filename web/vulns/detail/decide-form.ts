import type { SnoozeChange } from '../../../worker/decisions/quiet-contract'
import { vulnStatuses } from '../../../worker/domain/status'
import type { VulnStatus } from '../../../worker/domain/status'
import { quietKinds } from '../../../worker/domain/snooze'
import type { QuietKind } from '../../../worker/domain/snooze'
import type { VexJustification } from '../../../worker/domain/vex'
import type { StatusChange } from '../../../worker/decisions/decide-contract'
import { statusLabels } from '../status-labels'

export type DecisionChoice = VulnStatus | QuietKind
export const decisionChoices: readonly DecisionChoice[] = [...vulnStatuses, ...quietKinds]
export const isQuietChoice = (choice: DecisionChoice): choice is QuietKind => quietKinds.some((one) => one === choice)

export const choices = [
  { group: 'Status', items: vulnStatuses.map((value) => ({ value, label: statusLabels[value] })) },
  {
    group: 'Alerts',
    items: [
      { value: 'snoozed', label: 'Snoozed' },
      { value: 'accepted', label: 'Risk accepted' },
    ],
  },
]

/** For whoever accepts no risk for all. */
export const freeChoices = choices.map(({ group, items }) => ({
  group,
  items: items.filter(({ value }) => value !== 'accepted'),
}))

export type DecideForm = {
  choice: DecisionChoice
  justification: VexJustification | ''
  reason: string
  /** A person or team as text; an accepted risk has `owner_id`, a member, instead. */
  owner: string
  owner_id: string
  until: string
  on_fix: boolean
  on_kev: boolean
  on_exploit: boolean
  epss_above: number | string
}

export const toForm = (stated: Omit<StatusChange, 'status'> | undefined, choice: DecisionChoice): DecideForm => ({
  choice,
  justification: stated?.justification ?? '',
  reason: stated?.note ?? '',
  owner: stated?.owner ?? '',
  owner_id: '',
  until: stated?.expires_at ?? '',
  on_fix: false,
  epss_above: '',
  ...usualEvents(choice),
})

/** An accepted risk is usually one that nobody exploits. */
export const usualEvents = (choice: DecisionChoice) => ({
  on_kev: choice === 'accepted',
  on_exploit: choice === 'accepted',
})

export const toStatus = (status: VulnStatus, { justification, reason, owner, until }: DecideForm): StatusChange =>
  status === 'undefined'
    ? { status }
    : {
        status,
        justification: status === 'not_interesting' ? justification || null : null,
        note: reason || null,
        owner: owner || null,
        expires_at: until || null,
      }

export const toSnooze = (
  kind: QuietKind,
  { until, epss_above, owner_id, on_fix, on_kev, on_exploit, reason }: DecideForm,
): Partial<SnoozeChange> => ({
  kind,
  on_fix,
  on_kev,
  on_exploit,
  reason,
  ...(until && { until }),
  ...(epss_above !== '' && { epss_above: Number(epss_above) }),
  ...(kind === 'accepted' && owner_id && { owner_id: Number(owner_id) }),
})

/** The contract of a status names these fields differently. */
const fields = new Map([
  ['note', 'reason'],
  ['expires_at', 'until'],
  ['status', 'choice'],
  ['kind', 'choice'],
])
export const toFormErrors = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([name, message]) => [fields.get(name) ?? name, message]))
