/** `ref`: the record's id in a source that has several records of one vulnerability. */
export type Withdrawn = { cveid: string; ref?: string }
