/** `ref`: its id in a source that says several things of one vulnerability. */
export type Withdrawn = { cveid: string; ref?: string }
