/** A probability of EPSS as people read it: what is above zero never reads as zero, and what is below one never as all. */
export const epssPercent = (share: number) =>
  share > 0 && share < 0.001 ? '<0.1%' : `${(100 * (share < 1 ? Math.min(share, 0.999) : share)).toFixed(1)}%`

/** Which share of all others has a lower EPSS; nothing is above all, and rounding must not say so. */
export const epssRank = (percentile: number) => epssPercent(Math.min(percentile, 0.999))

/** EPSS levels whose crossing upwards is news, and the factor by which a rise is, from a hundredth on. */
const epssLevels = [0.1, 0.5, 0.9]
const epssFactor = 10
const epssFloor = 0.01

/** Whether a rise of EPSS (0 to 1) is worth an entry of the change log: past 0.1, 0.5 or 0.9, or tenfold to 0.01 or more. */
export function isEpssRise(from: number | null, to: number) {
  if (from === null || to <= from) return false
  return epssLevels.some((level) => from < level && to >= level) || (to >= epssFloor && to >= epssFactor * from)
}
