/** A probability of EPSS as people read it: what is above zero never reads as zero, and what is below one never as all. */
export const epssPercent = (share: number) =>
  share > 0 && share < 0.001 ? '<0.1%' : `${(100 * (share < 1 ? Math.min(share, 0.999) : share)).toFixed(1)}%`
