import { judgeStatements } from '../domain/versions/affected'
import type { Statement } from '../domain/versions/affected'
import type { CpeKind } from '../domain/versions/cpe-match'
import { judgeVersion } from '../domain/versions/range-verdict'
import type { AffectedRange, SourceKey } from '../domain/words/record'
import { unpackRanges } from '../domain/versions/stored-ranges'

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
