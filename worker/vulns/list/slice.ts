/** `limit` rows after `offset`. A walk skips `after` rows and looks at `window` rows for each page; -1 looks at all. */
export type Slice = { limit: number; offset: number; after: number; window?: number }
/** Fewer ids than `limit` are all there are, unless the reading `stopped`. If all were read, `total` is their number. */
export type Reading = { ids: number[]; stopped?: number; total?: number }
