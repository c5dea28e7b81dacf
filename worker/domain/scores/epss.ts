/** Rounding never turns a probability above 0 into 0%, nor one below 1 into 100%. */
export const epssPercent = (share: number) =>
  share > 0 && share < 0.001 ? '<0.1%' : `${(100 * (share < 1 ? Math.min(share, 0.999) : share)).toFixed(1)}%`

/** The share of all others with a lower EPSS; never 100%, because nothing is above itself. */
export const epssRank = (percentile: number) => epssPercent(Math.min(percentile, 0.999))

/** A stored percentile is less than this away from that of the newest file. */
export const percentileDrift = 0.01

/** A rise past one of these levels is news, and one by this factor to 0.01 or more. */
const epssLevels = [0.1, 0.5, 0.9]
const epssFactor = 10
const epssFloor = 0.01

/** Whether a rise of EPSS (0 to 1) is worth an entry of the change log: past 0.1, 0.5 or 0.9, or tenfold to 0.01 or more. */
export function isEpssRise(from: number | null, to: number) {
  if (from === null || to <= from) return false
  return epssLevels.some((level) => from < level && to >= level) || (to >= epssFloor && to >= epssFactor * from)
}
