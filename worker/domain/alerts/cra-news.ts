import { utcMinute } from './alert-times'
import { craHours, craLeadHours, craStageNames, craStages, type CraEvent, type CraStage } from '../decisions/cra'
import { isDocumentNumber } from './document-news'
import { findSnoozedSeq } from './snooze-news'
import { findRisenSeq } from './verdict-news'

const minute_ms = 60_000
const kinds = 8
/** Due days have higher numbers (due-news). */
const firstNumber = -1_000_000

/**
 * The number that stands for what is told of a clock, in the place of an entry of the change log: below 0, another one for each
 * event and minute, so that each is told once.
 */
export function numberCraEvent(told: CraEvent) {
  const kind = told.event === 'started' ? 0 : 1 + 2 * craStages.indexOf(told.stage) + (told.event === 'missed' ? 1 : 0)
  return -(Math.floor(Date.parse(told.at) / minute_ms) * kinds + kind)
}

/** Event of a clock that an alert tells of, by its number; null if it tells of something else. */
export function findCraEvent(seq: number): CraEvent | null {
  if (seq > firstNumber || isDocumentNumber(seq)) return null
  if (findSnoozedSeq(seq) !== null || findRisenSeq(seq) !== null) return null
  const kind = -seq % kinds
  const at = new Date(Math.floor(-seq / kinds) * minute_ms).toISOString().replace('.000Z', 'Z')
  const stage = craStages[Math.floor((kind - 1) / 2)]
  return stage ? { event: kind % 2 === 1 ? 'soon' : 'missed', stage, at } : { event: 'started', at }
}

export const isCraNumber = (seq: number) => seq <= firstNumber

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
