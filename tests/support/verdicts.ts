import { expect } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import type { AffectedRange, SourceKey } from '../../worker/domain/words/record'

type Status = 'affected' | 'not_affected' | 'unknown'
export type Expected = { [status in Status]?: string }

const versions = (names = '') => names.split(' ').filter(Boolean)

export function expectStatuses(source: SourceKey, ranges: AffectedRange[], expected: Expected) {
  const found = new Map<string, string[]>()
  for (const version of Object.values(expected).flatMap(versions)) {
    const { status } = judgeStatements(version, [{ source, ranges }])
    found.set(status, [...(found.get(status) ?? []), version])
  }
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(expected).map(([status, names]) => [status, versions(names)])),
  )
}
