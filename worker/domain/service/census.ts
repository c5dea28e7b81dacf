/** Sources that state affected versions of CVEs, and our feed of each. */
export const censusSources = [
  { id: 'nvd', name: 'NVD', feeds: ['nvd'] },
  { id: 'cve', name: 'CVE record (CNA)', feeds: ['cve'] },
  { id: 'cisa', name: 'CISA (CVE record)', feeds: ['cve'] },
  { id: 'ghsa', name: 'GitHub advisories', feeds: ['ghsa', 'osv'] },
  { id: 'osv', name: 'OSV', feeds: ['osv'] },
  { id: 'redhat', name: 'Vendors (Red Hat)', feeds: ['redhat'] },
  { id: 'overrides', name: 'NVD overrides', feeds: ['overrides'] },
  { id: 'other', name: 'Others', feeds: [] },
] as const
export const anySource = 'any'

/**
 * How long after its publication a CVE had them: by the end of so many seconds at the latest, or later for sure, or not known, which
 * have no end.
 */
export const censusWaits = [
  { id: 'day', name: 'Within a day', seconds: 86_400 },
  { id: 'week', name: 'Within a week', seconds: 7 * 86_400 },
  { id: 'month', name: 'Within 30 days', seconds: 30 * 86_400 },
  { id: 'unknown', name: 'Not known', seconds: null },
  { id: 'later', name: 'Later', seconds: null },
] as const

/** CVEs of a source by `censusWaits`, in their order. */
type WaitCounts = number[]

/** The CVEs that were published in a month (`2026-10`, UTC). */
export type CensusMonth = {
  month: string
  counted_at: string
  cves: number
  /** Somebody names their product, and nobody a version. */
  by_name: number
  /** By id of a source, and `any`; a source is absent where its feed had never been read. */
  sources: Record<string, WaitCounts>
}

export const sumCounts = (counts: WaitCounts = []) => counts.reduce((sum, count) => sum + count, 0)

/** Those of one year, or of any other span, as if they were one month; the earliest count says since when it is. */
export function sumMonths(name: string, months: CensusMonth[]): CensusMonth {
  const ids = new Set(months.flatMap((month) => Object.keys(month.sources)))
  const sumSource = (id: string) =>
    censusWaits.map((_, at) => sumCounts(months.map((month) => month.sources[id]?.[at] ?? 0)))
  const sources = Object.fromEntries([...ids].map((id) => [id, sumSource(id)]))
  const sum = (key: 'cves' | 'by_name') => months.reduce((total, month) => total + month[key], 0)
  const counted_at = months.map((month) => month.counted_at).toSorted()[0] ?? ''
  return { month: name, counted_at, cves: sum('cves'), by_name: sum('by_name'), sources }
}

/** Dates before the oldest CVE of NVD count as of this month. */
const firstMonth = '1988-10'

/** From that of the first second (Unix time) up to that of `now`, the newest first. */
export function listCensusMonths(first: number | null, now: Date): string[] {
  const place = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
  const last = place(toMonth(now.getTime()))
  const from = Math.max(place(firstMonth), Math.min(last, first === null ? last : place(toMonth(first * 1000))))
  return Array.from({ length: last - from + 1 }, (_, at) => toMonth(Date.UTC(2000, last - at - 24_000)))
}

const toMonth = (ms: number) => new Date(ms).toISOString().slice(0, 7)

/** First second of a month and of the next one, in Unix time; the first month of a list begins, and the last one ends, with all time. */
export function censusSpan(month: string, months: string[]): [from: number, to: number] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const second = (at: number) => Date.UTC(year, at) / 1000
  return [month === months.at(-1) ? -timeEnd_s : second(number - 1), month === months[0] ? timeEnd_s : second(number)]
}
/** The largest time of JavaScript. */
const timeEnd_s = 8_640_000_000_000
