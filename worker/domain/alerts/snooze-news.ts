import { isDocumentNumber } from './document-news'

/** CRA clocks have higher numbers (cra-news). */
const firstNumber = -100_000_000_000

/** Stands for what turned urgent while a decision or a pause kept it quiet, up to this entry of the change log, in the place of such an entry: it is told once. */
export const numberSnoozeEnd = (seq: number) => firstNumber - seq
/** That entry; null where an alert tells of something else. */
export const findSnoozedSeq = (seq: number) => (seq <= firstNumber && !isDocumentNumber(seq) ? firstNumber - seq : null)

export const snoozeEndWords =
  'It turned urgent while a decision of yours, or a pause of your alerts, kept it quiet, which has ended'
