import { isCraNumber } from './cra-news'
import type { AlertRule } from './alert-rules'

const day_ms = 86_400_000

/** News of a due day: on the day before it, and once it has passed. */
export type DueRule = Extract<AlertRule, 'due' | 'overdue'>

/**
 * The number of a due day ('2026-11-27') and its news, in the place of an entry of the change log:
 * below 0, another one for each day and rule, so that each is told once.
 */
export const numberDueDay = (due: string, rule: DueRule) =>
  -2 * Math.floor(Date.parse(`${due}T00:00:00Z`) / day_ms) - (rule === 'overdue' ? 1 : 0)

/** The due day of which an alert tells by its number; null where it tells of changes. */
export const findDueDay = (seq: number) =>
  seq < 0 && !isCraNumber(seq) ? new Date(Math.floor(-seq / 2) * day_ms).toISOString().slice(0, 10) : null
