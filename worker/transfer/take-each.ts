import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { Failure } from '../http/errors'
import type { RecordKind } from './contract'
import type { TransferRecord } from './records'

export type Importing = { db: Db; by: By }
export type Numbered<Kind extends RecordKind> = { line: number; record: TransferRecord<Kind> }
export type LeftOut = { line: number; name: string; reason: string }
export type TakenCounts = { added: number; already: number; left: LeftOut[] }

export const notKnown = 'Not known here: no vulnerability of this id'

const toReason = (failure: Failure) => failure.issues?.[0]?.message ?? failure.message

/** One after another; one that is refused holds no other back. */
export async function takeEach<Kind extends RecordKind>(
  records: Numbered<Kind>[],
  toName: (record: TransferRecord<Kind>) => string,
  save: (record: TransferRecord<Kind>) => Promise<'added' | 'already'>,
): Promise<TakenCounts> {
  const outcome: TakenCounts = { added: 0, already: 0, left: [] }
  for (const { line, record } of records)
    try {
      outcome[await save(record)]++
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      outcome.left.push({ line, name: toName(record), reason: toReason(error) })
    }
  return outcome
}

/** All of them at once; refused, none is taken. */
export async function takeAll<Kind extends RecordKind>(
  records: Numbered<Kind>[],
  toName: (record: TransferRecord<Kind>) => string,
  save: () => Promise<TakenCounts>,
): Promise<TakenCounts> {
  try {
    return await save()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const reason = toReason(error)
    return { added: 0, already: 0, left: records.map(({ line, record }) => ({ line, name: toName(record), reason })) }
  }
}
