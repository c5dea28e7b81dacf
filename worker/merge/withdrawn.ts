/** A record by the vulnerability and, where the source says several things of one, its id in the source. */
export type Withdrawn = { cveid: string; ref?: string }
