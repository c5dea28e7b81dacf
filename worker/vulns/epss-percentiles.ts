import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import type { Comparison } from '../domain/query/ast'
import { percentileDrift } from '../domain/scores/epss'
import { shared } from '../schema/vulns'

/** Below, so many fit that a list of them is not read whole. */
const highPercentile = 0.9

/** A high percentile that a comparison asks for at least, or 0. */
export const leastPercentile = ({ op, value }: Comparison) =>
  (op === 'eq' || op.startsWith('g')) && Number(value) >= highPercentile ? Number(value) : 0

/** About which percentile an EPSS has. */
export type EpssPercentile = { epss: number; percentile: number | null }

const probed = Array.from({ length: 24 }, (_, at) => Number((0.9 * 0.75 ** at).toPrecision(3)))
/** What stands next in the index; one may be out of date. */
const probedRows = 3
/** The stored EPSS differs from that of the newest file by less: it is written when its third decimal changes. */
const epssDrift = 0.001

/** Reads three rows for each of some values between 0.001 and 0.9, the highest value first. */
export const findPercentiles = (db: Db) =>
  db.all<EpssPercentile>(sql`
    SELECT e.item AS epss, (SELECT max(p.epss_percentile) FROM (
      SELECT vulns.epss_percentile FROM vulns INDEXED BY vulns_by_epss
      WHERE ${shared} AND vulns.epss >= e.item ORDER BY vulns.epss LIMIT ${probedRows}) p) AS percentile
    FROM ${valuesTable(probed)} e`)

/** Within a file of FIRST a higher percentile is a higher EPSS: nothing below this value has the percentile; 0 where all might. */
export function leastEpss(percentiles: EpssPercentile[], percentile: number) {
  const below = percentiles.find((one) => one.percentile !== null && one.percentile < percentile - 2 * percentileDrift)
  return below ? Math.max(0, below.epss - 2 * epssDrift) : 0
}
