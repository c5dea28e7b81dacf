import { compileName } from '../domain/compiled'
import type { NameJudge, Said } from '../domain/compiled'
import type { AffectedRange, SourceKey } from '../domain/record'
import { rangeRelease } from '../domain/range-verdict'
import { unpackRanges } from '../domain/stored-ranges'

/** What a source says of one product or package, with the vulnerabilities of which it says the same. */
export type GroupedStatement = { source: SourceKey; ranges: AffectedRange[]; vuln_ids: number[] }
/** As D1 hands it over: ranges and ids as JSON. */
export type GroupedRow = { source: SourceKey; ranges: string; vuln_ids: string }

export const toGrouped = ({ source, ranges, vuln_ids }: GroupedRow): GroupedStatement => ({
  source,
  ranges: unpackRanges(ranges),
  vuln_ids: JSON.parse(vuln_ids) as number[],
})

export type CompiledName = { judge: NameJudge; vuln_ids: Set<number>; releases: string[] }

/** What is said of one name; vulnerabilities of which the same is said stand together. */
export function compileStatements(grouped: GroupedStatement[]): CompiledName {
  const places = new Map<number, number[]>()
  for (const [at, { vuln_ids }] of grouped.entries())
    for (const id of vuln_ids) places.set(id, [...(places.get(id) ?? []), at])
  const said = Map.groupBy(places, ([, own]) => own.join())
  const toSaid = (same: [number, number[]][]): Said => ({
    vuln_ids: same.map(([id]) => id),
    statements: (same[0]?.[1] ?? []).flatMap((at) => grouped[at] ?? []),
  })
  return {
    judge: compileName([...said.values()].map(toSaid)),
    vuln_ids: new Set(places.keys()),
    releases: [...new Set(grouped.flatMap(({ ranges }) => ranges.flatMap((range) => rangeRelease(range) ?? [])))],
  }
}
