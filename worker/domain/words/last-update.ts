/** A record without a date never counts as news: it takes the year of its id, or the first one of the CVE list. */
export const undatedStamp = (cveid: string) => `${/^CVE-(\d{4})-/.exec(cveid)?.[1] ?? '1999'}-01-01T00:00:00Z`

type Dates = { published: string | null; modified: string | null; updated_at: string }

/** When a vulnerability last changed, null if nobody knows: its `updated_at` is then `undatedStamp`, which only sorts it. */
export const knownUpdate = ({ published, modified, updated_at }: Dates) =>
  published === null && modified === null && updated_at.endsWith('-01-01T00:00:00Z') ? null : updated_at
