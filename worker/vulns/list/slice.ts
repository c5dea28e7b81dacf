/** `limit` after `offset`. A list that is walked goes on `after` so many rows and looks at `window` for each page; -1 looks at all. */
export type Slice = { limit: number; offset: number; after: number; window?: number }
/** Fewer ids than the slice holds are all there are, unless the reading `stopped`. Where all were read, `total` is their number. */
export type Reading = { ids: number[]; stopped?: number; total?: number }
