import { sql } from 'drizzle-orm'

// Columns of many values are indexed by steps, so that a range of them has few, and the ends of it little beside it.

// Most EPSS scores are low: the lower, the finer are their steps.
const levels = [
  { below: 0.002, parts: 20_000, shift: 0 },
  { below: 0.01, parts: 1_000, shift: 38 },
  { below: 0.1, parts: 100, shift: 47 },
]
const highest = { parts: 50, shift: 52 }

/** The step of an EPSS score, from 0 to 102, by which `vulns_by_epss_step` sorts. */
export const epssStep = sql.raw(
  `CASE ${levels.map(({ below, parts, shift }) => `WHEN epss < ${below} THEN CAST(epss * ${parts} AS INTEGER) + ${shift}`).join(' ')} ELSE CAST(epss * ${highest.parts} AS INTEGER) + ${highest.shift} END`,
)

/** The same of a number, by the same arithmetic. */
export function epssStepOf(epss: number) {
  const { parts, shift } = levels.find(({ below }) => epss < below) ?? highest
  return Math.trunc(epss * parts) + shift
}

const daySeconds = 86_400
const quarterSeconds = 7_889_400

/** The day, and the quarter of a year, in which a vulnerability was published, counted from 1970. */
export const publishedDay = sql.raw(`published / ${daySeconds}`)
export const publishedQuarter = sql.raw(`published / ${quarterSeconds}`)
export const dayOf = (seconds: number) => Math.trunc(seconds / daySeconds)
export const quarterOf = (seconds: number) => Math.trunc(seconds / quarterSeconds)
