import { quietKinds } from './snooze'
import { vulnStatuses } from './status'

/**
 * Subject of a decision: the work on a vulnerability, its assignee, whether it is told, or a component that has it. A `request` is a
 * risk that waits for another manager's approval.
 */
export const decisionScopes = ['vulnerability', 'alerts', 'component', 'request', 'assignee'] as const
export type DecisionScope = (typeof decisionScopes)[number]

/** A vulnerability has one of `vulnStatuses`, its alerts one of `quietKinds`, a component one of `vexStatuses`: `fixed` is among both. */
export const decisionVerdicts = [
  ...vulnStatuses,
  ...quietKinds,
  'affected',
  'not_affected',
  'under_investigation',
  'assigned',
] as const
