/** Rounding never turns a probability above 0 into 0%, nor one below 1 into 100%. */
export const epssPercent = (share: number) =>
  share > 0 && share < 0.001 ? '<0.1%' : `${(100 * (share < 1 ? Math.min(share, 0.999) : share)).toFixed(1)}%`

/** The share of all others with a lower EPSS; never 100%, because nothing is above itself. */
export const epssRank = (percentile: number) => epssPercent(Math.min(percentile, 0.999))

/** A stored percentile is less than this away from that of the newest file. */
export const percentileDrift = 0.01

/** From where on an alert rule tells of a rise. Only a percentile keeps its meaning when FIRST changes its model. */
export const epssMarks = ['90th', '95th', '99th', '10%', '50%', '90%'] as const
export type EpssMark = (typeof epssMarks)[number]
export const usualMark: EpssMark = '95th'

/** As words have them: `the 95th percentile`, `50%`. */
export const labelMark = (mark: EpssMark) => (mark.endsWith('th') ? `the ${mark} percentile` : mark)

type Epss = { epss: number | null; epss_percentile: number | null }

/** Whether an EPSS and its percentile (0 to 1) are at the mark or above it. */
export function isAtMark(mark: EpssMark, { epss, epss_percentile }: Epss) {
  const value = mark.endsWith('th') ? epss_percentile : epss
  return value !== null && value >= Number.parseInt(mark, 10) / 100
}

/** Whether a percentile (0 to 1; null where there was none) rises past one that a rule may name. */
export const passesMark = (from: number | null, to: number) =>
  epssMarks.some(
    (mark) =>
      !isAtMark(mark, { epss: null, epss_percentile: from ?? 0 }) &&
      isAtMark(mark, { epss: null, epss_percentile: to }),
  )

/** A rise past one of these levels is news, and one by this factor to 0.01 or more. */
export const epssLevels = [0.1, 0.5, 0.9]
const epssFactor = 10
const epssFloor = 0.01

/** Whether a rise of EPSS (0 to 1) is news: past 0.1, 0.5 or 0.9, also by the first score, or tenfold to 0.01 or more. */
export function isEpssRise(from: number | null, to: number) {
  if (from !== null && to <= from) return false
  const isTenfold = from !== null && to >= epssFloor && to >= epssFactor * from
  return isTenfold || epssLevels.some((level) => (from ?? 0) < level && to >= level)
}
