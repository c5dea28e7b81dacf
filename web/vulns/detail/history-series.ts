import { isExploitedBy } from '../../../worker/domain/names/catalogues'
import type { HistoryEntry, VulnDetail } from '../../../worker/vulns/detail/contract'

/** The value from `at` on, 0 to 100; null for none. */
export type ChartStep = { at: number; value: number | null }
export type TimeSpan = { start: number; end: number }

const day_ms = 86_400_000
const shortest_ms = 30 * day_ms

/** The `at` of each first step: as far back as we know. */
const since = Number.NEGATIVE_INFINITY

/** `history` is newest first. */
export function scoreSteps(score: number | null, history: HistoryEntry[]): ChartStep[] {
  const moves = history
    .toReversed()
    .flatMap(({ date, details }) =>
      details.filter(({ field }) => field === 'score').map(({ from, to }) => ({ at: Date.parse(date), from, to })),
    )
  const first = moves[0] ? toNumber(moves[0].from) : score
  return [{ at: since, value: first }, ...moves.map(({ at, to }) => ({ at, value: toNumber(to) }))]
}

const toNumber = (value: string | number | null) => (typeof value === 'number' ? value : null)

/** Each entry holds until its day; `now` holds since the last of them. */
export function epssSteps(now: number | null, history: { until: string; epss: number }[]): ChartStep[] {
  const toValue = (share: number | null) => (share === null ? null : share * 100)
  const next = (at: number) => history[at + 1]?.epss ?? now
  return [
    { at: since, value: toValue(history[0]?.epss ?? now) },
    ...history.map(({ until }, at) => ({ at: Date.parse(until), value: toValue(next(at)) })),
  ]
}

type Model = { name: string; since: string }

/** The model of the first value that is known, where its first day is within the chart: before it EPSS meant something else. */
export function findFirstModel(steps: ChartStep[], models: Model[], { start, end }: TimeSpan) {
  const until = steps[1] ? steps[1].at - day_ms : end
  const first = models.findLast(({ since: day }) => Date.parse(day) <= until)
  return first && Date.parse(first.since) > start ? first : undefined
}

export const beginAt = ([first, ...others]: ChartStep[], model: Model): ChartStep[] =>
  first ? [{ ...first, at: Date.parse(model.since) }, ...others] : []

export function addModel(events: ChartEvent[], { name, since: date }: Model) {
  if (events.some((event) => event.mark === 'M' && event.date.startsWith(date))) return events
  const label = `First day of EPSS ${name}: older values are not comparable`
  return [...events, { at: Date.parse(date), date, mark: 'M', label }].toSorted((a, b) => a.at - b.at)
}

type ChartEvent = { at: number; date: string; mark: string; label: string }

export function findEvents({ published, kev, exploited_by }: VulnDetail, history: HistoryEntry[]): ChartEvent[] {
  const logged = history.flatMap(({ date, details }) =>
    details.flatMap(({ field, label, from, to }): ChartEvent[] => {
      const at = Date.parse(date)
      if (field === 'exploits' && Number(to) > Number(from))
        return [{ at, date, mark: 'E', label: `${label}: ${from} → ${to}` }]
      if (field === 'epss_model') return [{ at, date, mark: 'M', label }]
      if (field === 'fixes') return [{ at, date, mark: 'F', label }]
      if (field === 'cvss3' || field === 'cvss4')
        return [{ at, date, mark: 'C', label: `${label}: ${from ?? 'n/a'} → ${to ?? 'n/a'}` }]
      return []
    }),
  )
  const listed = exploited_by.flatMap((claim): ChartEvent[] => {
    const isMark = claim.by !== 'cisa' && claim.added !== '' && isExploitedBy(claim)
    return isMark
      ? [{ at: Date.parse(claim.added), date: claim.added, mark: 'K', label: `Added to ${claim.name}` }]
      : []
  })
  const known = [
    published && { at: Date.parse(published), date: published, mark: 'P', label: 'Published' },
    kev && { at: Date.parse(kev.added), date: kev.added, mark: 'K', label: 'Added to CISA KEV' },
  ].filter((event) => event !== null && event !== '')
  return [...known, ...listed, ...logged].toSorted((a, b) => a.at - b.at)
}

/** Starts a little before the first change: older events would leave the changes no room. */
export function findSpan(steps: ChartStep[][], events: ChartEvent[], now = Date.now()): TimeSpan {
  const moves = steps.flat().flatMap(({ at }) => (Number.isFinite(at) ? at : []))
  const known = moves.length ? moves : events.map(({ at }) => at)
  const first = Math.min(now - shortest_ms, ...known)
  const end = Math.max(now, ...known)
  return { start: first - (end - first) / 20, end }
}

export const placeAt = (at: number, { start, end }: TimeSpan) =>
  Number((((at - start) / (end - start)) * 100).toFixed(2))

/** Joins letters that would overlap, at the place of the first. */
export function flagEvents(events: ChartEvent[], span: TimeSpan) {
  const flags: { place: number; marks: string }[] = []
  for (const { at, mark } of events) {
    const place = placeAt(at, span)
    const last = flags.at(-1)
    if (place < 0) continue
    if (last && place - last.place < nearFlags) last.marks += mark
    else flags.push({ place, marks: mark })
  }
  return flags
}
const nearFlags = 3
