import { errorText, noteError } from '../db/error-text'
import { judgeStatements, type Statement } from '../domain/versions/affected'
import { compileName, type NameJudge, type Said } from '../domain/versions/compiled'
import type { AffectedRange, SourceKey } from '../domain/words/record'
import { rangeRelease, judgeVersion } from '../domain/versions/range-verdict'
import { unpackRanges } from '../domain/versions/stored-ranges'
import type { CpeKind } from '../domain/versions/cpe-match'

/** Statement of a source on one product or package as D1 hands it over: ranges, and ids of the vulnerabilities of which it says the same, as JSON. */
export type GroupedRow = { source: SourceKey; ranges: string; vuln_ids: string }
type GroupedStatement = { source: SourceKey; ranges: AffectedRange[]; vuln_ids: number[] }

export type CompiledName = { judge: NameJudge; vuln_ids: Set<number>; releases: string[] }
/** `faults` takes what could not be judged. */
type Named = { name: string; faults?: string[] | undefined }

/** Statements on one name. If any cannot be read or compared, nobody can tell of all of them; other names go on. */
export function compileStatements(rows: GroupedRow[], { name, faults }: Named): CompiledName {
  const said = rows.map(({ vuln_ids, ...row }) => ({ ...row, vuln_ids: JSON.parse(vuln_ids) as number[] }))
  const vuln_ids = new Set(said.flatMap((row) => row.vuln_ids))
  const note = (error: unknown) => {
    if (faults) faults.push(`${name}: ${errorText(error)}`)
    else noteError({ job: 'judge', name }, error)
  }
  const cannotTell: NameJudge = ({ version }) => [
    [{ vuln_ids: [...vuln_ids], statements: [] }, judgeStatements(version, [])],
  ]
  try {
    const { judge, releases } = compile(said.map((row) => ({ ...row, ranges: unpackRanges(row.ranges) })))
    const judgeOrNote: NameJudge = (asked) => {
      try {
        return judge(asked)
      } catch (error) {
        note(error)
        return cannotTell(asked)
      }
    }
    return { judge: judgeOrNote, vuln_ids, releases }
  } catch (error) {
    note(error)
    return { judge: cannotTell, vuln_ids, releases: [] }
  }
}

/** Vulnerabilities of which the same is said stand together. */
function compile(grouped: GroupedStatement[]) {
  const places = new Map<number, number[]>()
  for (const [at, { vuln_ids }] of grouped.entries())
    for (const id of vuln_ids) places.set(id, [...(places.get(id) ?? []), at])
  const said = Map.groupBy(places, ([, statementPlaces]) => statementPlaces.join())
  const toSaid = (same: [number, number[]][]): Said => ({
    vuln_ids: same.map(([id]) => id),
    statements: (same[0]?.[1] ?? []).flatMap((at) => grouped[at] ?? []),
  })
  return {
    judge: compileName([...said.values()].map(toSaid)),
    releases: [...new Set(grouped.flatMap(({ ranges }) => ranges.flatMap((range) => rangeRelease(range) ?? [])))],
  }
}

/** Statement of a source on one product or package, with its ranges as JSON. */
export type StoredStatement = { source: SourceKey; ranges: string }
type Beside = { on?: string | undefined; kind?: CpeKind | undefined }

export const readStored = ({ source, ranges }: StoredStatement): Statement => ({
  source,
  ranges: unpackRanges(ranges),
})

/** One version of one product or package, with the word of each source beside the one that counts. */
export const judgeStored = (version: string, statements: StoredStatement[], beside: Beside = {}) =>
  judgeStatements(version, statements.map(readStored), beside)

export const isHeldBy = (ranges: AffectedRange[], version: string) =>
  judgeVersion(version, ranges).status === 'affected'
