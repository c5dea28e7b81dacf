import { sql } from 'drizzle-orm'

// Columns of many values are indexed by steps, so that a range of them has few.

// Most EPSS scores are below a hundredth: there the steps are ten times as fine.
const fine = { below: 0.01, steps: 1_000, shift: -10 }
const coarse = 100

/** The step of an EPSS score: from -10 (below a thousandth) by thousandths to -1, then by hundredths from 1 to 100. */
export const epssStep = sql.raw(
  `CASE WHEN epss < ${fine.below} THEN CAST(epss * ${fine.steps} AS INTEGER) + ${fine.shift} ELSE CAST(epss * ${coarse} AS INTEGER) END`,
)

/** The same of a number, by the same arithmetic. */
export const epssStepOf = (epss: number) =>
  epss < fine.below ? Math.trunc(epss * fine.steps) + fine.shift : Math.trunc(epss * coarse)

const quarterSeconds = 7_889_400

/** The quarter of a year in which a vulnerability was published, counted from 1970. */
export const publishedQuarter = sql.raw(`published / ${quarterSeconds}`)
export const quarterOf = (seconds: number) => Math.trunc(seconds / quarterSeconds)
