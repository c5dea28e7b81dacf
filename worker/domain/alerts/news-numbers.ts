import { utcMinute } from './alert-times'
import type { AlertRule } from './alert-rules'
import { craHours, craLeadHours, craStageNames, craStages, type CraEvent, type CraStage } from '../decisions/cra'
import { verdictRank } from '../versions/verdict'

/**
 * News without an entry of the change log has a number below 0 in its place, so that each is told once: due days above the first of
 * these, then each kind up to where the next one begins.
 */
const firstNumbers = {
  cra: -1_000_000,
  risen: -10_000_000_000,
  snoozed: -100_000_000_000,
  document: -1_000_000_000_000,
}
const isBetween = (seq: number, first: number, next: number) => seq <= first && seq > next

const minute_ms = 60_000
const day_ms = 86_400_000
const craKinds = 8

/** News of a due day: on the day before it, and once it has passed. */
export type DueRule = Extract<AlertRule, 'due' | 'overdue'>

/** The number of a due day ('2026-11-27') and its news, another one for each day and rule. */
export const numberDueDay = (due: string, rule: DueRule) =>
  -2 * Math.floor(Date.parse(`${due}T00:00:00Z`) / day_ms) - (rule === 'overdue' ? 1 : 0)

/** The due day of which an alert tells by its number; null where it tells of something else. */
export const findDueDay = (seq: number) =>
  isBetween(seq, -1, firstNumbers.cra) ? new Date(Math.floor(-seq / 2) * day_ms).toISOString().slice(0, 10) : null

/** The number of what is told of a clock, another one for each event and minute. */
export function numberCraEvent(told: CraEvent) {
  const kind = told.event === 'started' ? 0 : 1 + 2 * craStages.indexOf(told.stage) + (told.event === 'missed' ? 1 : 0)
  return -(Math.floor(Date.parse(told.at) / minute_ms) * craKinds + kind)
}

/** Event of a clock that an alert tells of, by its number; null if it tells of something else. */
export function findCraEvent(seq: number): CraEvent | null {
  if (!isBetween(seq, firstNumbers.cra, firstNumbers.risen)) return null
  const kind = -seq % craKinds
  const at = new Date(Math.floor(-seq / craKinds) * minute_ms).toISOString().replace('.000Z', 'Z')
  const stage = craStages[Math.floor((kind - 1) / 2)]
  return stage ? { event: kind % 2 === 1 ? 'soon' : 'missed', stage, at } : { event: 'started', at }
}

const dueAfter = (stage: CraStage, at: string) =>
  utcMinute(new Date(Date.parse(at) + craLeadHours[stage] * 60 * minute_ms).toISOString())

/** After the name of the vulnerability: "is exploited in what you make: early warning within 24 hours". */
export function describeCraHeadline(told: CraEvent) {
  if (told.event === 'started')
    return `is exploited and in what you make: early warning within ${craHours.early_warning} hours`
  const name = craStageNames[told.stage].toLowerCase()
  return told.event === 'soon'
    ? `CRA ${name} is due within ${craLeadHours[told.stage]} hours`
    : `CRA ${name} is overdue`
}

/** One line for whoever has to report. */
export function describeCraEvent(told: CraEvent) {
  if (told.event === 'started')
    return `A CRA clock runs since ${utcMinute(told.at)}: early warning within ${craHours.early_warning} hours, notification within ${craHours.notification} hours`
  const name = craStageNames[told.stage]
  return told.event === 'soon'
    ? `${name} (CRA) due by ${dueAfter(told.stage, told.at)}`
    : `${name} (CRA) was due by ${utcMinute(told.at)} and is not noted as made`
}

export const risenNumbers = { first: firstNumbers.risen, last: firstNumbers.snoozed + 1 }

/** Stands for a verdict on what runs that rose, up to this entry of the change log. */
export const numberRisen = (seq: number, verdict: number) =>
  firstNumbers.risen - 2 * seq - (verdict === verdictRank('confirmed') ? 1 : 0)
/** That entry; null where an alert tells of something else. */
export const findRisenSeq = (seq: number) =>
  isBetween(seq, firstNumbers.risen, firstNumbers.snoozed) ? Math.floor((firstNumbers.risen - seq) / 2) : null

export const risenWords = 'Your software is now judged more likely to be affected than before'

/** Stands for what turned urgent while a decision or a pause kept it quiet, up to this entry of the change log. */
export const numberSnoozeEnd = (seq: number) => firstNumbers.snoozed - seq
/** That entry; null where an alert tells of something else. */
export const findSnoozedSeq = (seq: number) =>
  isBetween(seq, firstNumbers.snoozed, firstNumbers.document) ? firstNumbers.snoozed - seq : null

export const snoozeEndWords =
  'It turned urgent while a decision of yours, or a pause of your alerts, kept it quiet, which has ended'

/** Stands for the first document of an inventory. */
export const numberDocument = (inventory_id: number) => firstNumbers.document - inventory_id
