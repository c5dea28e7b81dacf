import type { Census } from '../census/find'
import { anySource, censusSources, censusWaits, sumCounts } from '../domain/service/census'
import type { CensusMonth } from '../domain/service/census'
import { toRowFile } from '../http/row-file'

type Line = { month: CensusMonth; source: string }

const waitHeads = censusWaits.map(({ id }) => `versions_${id}`)
const head = ['month', 'counted_at', 'cves', 'by_name', 'source', 'versions', ...waitHeads]

/** A line for each month and source; `any` is at least one of them. A source that was not read has empty numbers. */
export const toCensusFile = ({ months }: Census) =>
  toRowFile<Line, Line>('earshot_census', 'csv', {
    head,
    cells: ({ month: { month, counted_at, cves, by_name, sources }, source }) => {
      const counts = sources[source]
      return [
        month,
        counted_at,
        cves,
        by_name,
        source,
        ...(counts ? [sumCounts(counts), ...counts] : ['', ...waitHeads.map(() => '')]),
      ]
    },
    list: async () =>
      months.flatMap((month) => [anySource, ...censusSources.map(({ id }) => id)].map((source) => ({ month, source }))),
    read: async (lines) => lines,
  })
