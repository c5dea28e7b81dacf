import type { Census } from '../census/find'
import { anySource, censusSources, censusWaits, sumCounts, type CensusMonth } from '../domain/service/census'
import { toRowFile } from '../http/row-file'

type Line = { month: CensusMonth; source: string }

/** A line for each month and source; `any` is at least one of them. A source that was not read has empty numbers. */
export const toCensusFile = ({ months }: Census) =>
  toRowFile<Line, Line>('earshot_census', 'csv', {
    columns: [
      ...(['month', 'counted_at', 'cves', 'by_name'] as const).map((field): [string, (line: Line) => unknown] => [
        field,
        ({ month }) => month[field],
      ]),
      'source',
      ['versions', ({ month, source }) => month.sources[source] && sumCounts(month.sources[source])],
      ...censusWaits.map(({ id }, at): [string, (line: Line) => unknown] => [
        `versions_${id}`,
        ({ month, source }) => month.sources[source]?.[at],
      ]),
    ],
    list: async () =>
      months.flatMap((month) => [anySource, ...censusSources.map(({ id }) => id)].map((source) => ({ month, source }))),
    read: async (lines) => lines,
  })
