import type { MadeDecisionInput, NewDecision, StatusChange } from '../../worker/decisions/decide-contract'
import { quietKinds, type QuietKind } from '../../worker/domain/decisions/snooze'
import { vulnStatuses, type VulnStatus } from '../../worker/domain/decisions/status'
import { vexStatuses, type VexJustification, type VexStatus } from '../../worker/domain/decisions/vex'
import { ApiError } from '../lib/call'
import { statusLabels } from '../lib/status-labels'
import { decisionWords } from '../lib/vex-words'

type Finding = { vuln_id: number; component_id: number }
/** Vulnerabilities, or findings of an inventory. */
export type Subject = { ids: number[] } | { inventory: string; findings: Finding[] }

export type DecisionChoice = VulnStatus | QuietKind | VexStatus
export const decisionChoices: readonly DecisionChoice[] = [...vulnStatuses, ...quietKinds, ...vexStatuses]
export const isQuietChoice = (choice: DecisionChoice): choice is QuietKind => quietKinds.some((kind) => kind === choice)

/** Members who accept no risk for all are not offered to. */
export function listChoices(about: Subject, mayAccept: boolean) {
  if ('findings' in about) return vexStatuses.map((value) => ({ value, label: decisionWords[value] }))
  return [
    { group: 'Status', items: vulnStatuses.map((value) => ({ value, label: statusLabels[value] })) },
    {
      group: 'Alerts',
      items: [
        { value: 'snoozed', label: 'Snoozed' },
        ...(mayAccept ? [{ value: 'accepted', label: 'Risk accepted' }] : []),
      ],
    },
  ]
}

/** A percentile keeps its meaning when FIRST changes its model. */
const epssWays = ['percentile', 'probability'] as const
type EpssBy = (typeof epssWays)[number]

export type DecideForm = {
  choice: DecisionChoice
  justification: VexJustification | ''
  reason: string
  /** The version to upgrade to. */
  fix: string
  /** A person or team as text; an accepted risk has `owner_id`, a member, instead. */
  owner: string
  owner_id: string
  until: string
  on_fix: boolean
  on_kev: boolean
  on_exploit: boolean
  epss_above: number | string
  epss_by: EpssBy
}

type Given = Partial<Record<'justification' | 'note' | 'fix' | 'owner' | 'expires_at', string | null>>

/** As it was decided before. */
export const toForm = (choice: DecisionChoice, given: Given | undefined): DecideForm => ({
  choice,
  justification: (given?.justification ?? '') as VexJustification | '',
  reason: given?.note ?? '',
  fix: given?.fix ?? '',
  owner: given?.owner ?? '',
  owner_id: '',
  until: given?.expires_at ?? '',
  on_fix: false,
  epss_above: '',
  epss_by: 'percentile',
  ...usualEvents(choice),
})

/** An accepted risk is usually one that nobody exploits. */
export const usualEvents = (choice: DecisionChoice) => ({
  on_kev: choice === 'accepted',
  on_exploit: choice === 'accepted',
})

export function toDecision(about: Subject, values: DecideForm): MadeDecisionInput {
  const { choice } = values
  if ('findings' in about) {
    const status = vexStatuses.find((known) => known === choice) ?? 'affected'
    return { scope: 'component', ...about, decision: toComponent(status, values) }
  }
  if (isQuietChoice(choice)) return { scope: 'alerts', ...about, decision: toSnooze(choice, values) }
  const status = vulnStatuses.find((known) => known === choice) ?? 'undefined'
  return { scope: 'vulnerability', ...about, decision: toStatus(status, values) }
}

const toComponent = (status: VexStatus, { justification, reason, fix, owner, until }: DecideForm): NewDecision => ({
  status,
  justification: status === 'not_affected' ? justification || null : null,
  note: reason || null,
  fix: status === 'affected' ? fix || null : null,
  owner: owner || null,
  expires_at: until || null,
})

const toStatus = (status: VulnStatus, { justification, reason, owner, until }: DecideForm): StatusChange =>
  status === 'undefined'
    ? { status }
    : {
        status,
        justification: status === 'not_interesting' ? justification || null : null,
        note: reason || null,
        owner: owner || null,
        expires_at: until || null,
      }

const toSnooze = (
  kind: QuietKind,
  { until, epss_above, epss_by, owner_id, on_fix, on_kev, on_exploit, reason }: DecideForm,
) => ({
  kind,
  on_fix,
  on_kev,
  on_exploit,
  reason,
  ...(until && { until }),
  ...(epss_above !== '' && toEpssEnd(epss_by, Number(epss_above))),
  ...(kind === 'accepted' && owner_id && { owner_id: Number(owner_id) }),
})

// A percentile is typed in percent.
const toEpssEnd = (by: EpssBy, limit: number) =>
  by === 'percentile' ? { epss_percentile_above: Number((limit / 100).toFixed(5)) } : { epss_above: limit }

/** The contract names these fields differently. */
const fields = new Map([
  ['note', 'reason'],
  ['expires_at', 'until'],
  ['status', 'choice'],
  ['kind', 'choice'],
  ['epss_percentile_above', 'epss_above'],
])
export function toFormErrors(error: Error) {
  const issues = error instanceof ApiError ? error.issues : []
  const named = issues.map(({ path, message }) => [String(path.at(-1)), message] as const)
  return Object.fromEntries(named.map(([name, message]) => [fields.get(name) ?? name, message]))
}
