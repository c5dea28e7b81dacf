import { verdictRank } from '../versions/verdict'

/** CRA clocks have higher numbers (cra-news), ends of snoozes lower ones (snooze-news). */
export const risenNumbers = { first: -10_000_000_000, last: -99_999_999_999 } as const

/** Stands for a verdict on what runs that rose, up to this entry of the change log, in the place of such an entry: it is told once. */
export const numberRisen = (seq: number, verdict: number) =>
  risenNumbers.first - 2 * seq - (verdict === verdictRank('confirmed') ? 1 : 0)
/** That entry; null where an alert tells of something else. */
export const findRisenSeq = (seq: number) =>
  seq <= risenNumbers.first && seq >= risenNumbers.last ? Math.floor((risenNumbers.first - seq) / 2) : null

export const risenWords = 'Your software is now judged more likely to be affected than before'
