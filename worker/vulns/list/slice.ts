/**
 * Which of the rows that fit: `limit` after the first `offset`. Where a list is walked, it goes on `after` so many of its rows
 * and looks at `window` of them for each page; -1 looks at all.
 */
export type Slice = { limit: number; offset: number; after: number; window?: number }
/**
 * Fewer ids than the slice may hold are all there are, unless the reading `stopped` after so many rows of the list. Where all
 * were read, `total` tells how many fit.
 */
export type Reading = { ids: number[]; stopped?: number; total?: number }
