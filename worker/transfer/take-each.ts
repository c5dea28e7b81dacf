import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { Failure } from '../http/errors'
import type { RecordKind } from './contract'
import type { TransferRecord } from './records'
import { readBulk } from '../db/bulk'
import { newPrivateName } from '../domain/names/cve'

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

const ownPrefix = 'own:'
export const formatOwn = (key: string) => `${ownPrefix}${key}`

/** Of a private name: the part that no other organization has. */
export const toOwnKey = (stored: string) => stored.replace(/^ORG-\d+-/, '')

/** A vulnerability as a file names it: by the id that is stored, and the organization's own by the key of its name. */
export const toReference = (stored: string | null) => (stored ?? '').replace(/^ORG-\d+-/, ownPrefix)

/** The numbers here of what a file names, as far as the organization sees it. */
export async function findReferences(db: Db, org_id: number, references: string[]) {
  const names = [...new Set(references)].map((reference) => [
    reference,
    reference.startsWith(ownPrefix) ? newPrivateName(org_id, reference.slice(ownPrefix.length)) : reference,
  ])
  const isSeen = '(v.org_id IS NULL OR v.org_id = ?2)'
  const found = await readBulk<{ reference: string; id: number }>(
    db,
    `SELECT j.value->>0 AS reference, v.id FROM jsonb_each(?1) j CROSS JOIN vuln_aliases a ON a.alias = j.value->>1
       CROSS JOIN vulns v ON v.id = a.vuln_id AND ${isSeen}
     UNION ALL
     SELECT j.value->>0, v.id FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.cveid = j.value->>1 AND ${isSeen}`,
    names,
    org_id,
  )
  return new Map(found.map(({ reference, id }) => [reference, id]))
}
