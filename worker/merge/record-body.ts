import { sql } from 'drizzle-orm'
import { pack, unpack } from '../db/pack'
import type { Records } from '../domain/words/merge'
import type { SourceKey, VulnRecord } from '../domain/words/record'
import { vulnRecords } from '../schema/vulns'
import { recordDictionary } from './record-dictionary'

// A new dictionary needs a new number: bodies that were packed with this one stay.
const dictionary = { version: 1, bytes: new TextEncoder().encode(recordDictionary) }

export type RecordBody = Omit<VulnRecord, 'affected' | 'packages' | 'mark'>

/** `true` stands for the vulnerability's own summary: when that changes, the records that share it must be packed again. */
export const packBody = (record: RecordBody, summary: string) =>
  pack(JSON.stringify(isShared(record, summary) ? { ...record, summary: true } : record), dictionary)

export const isShared = (record: RecordBody, summary: string) => summary !== '' && record.summary === summary

export function unpackBody(body: string, summary: string): VulnRecord {
  const record = unpack(body, dictionary) as Omit<VulnRecord, 'summary'> & { summary?: string | true }
  return record.summary === true ? { ...record, summary } : (record as VulnRecord)
}

export const bodyHex = sql<string>`hex(${vulnRecords.body})`.as('body')

export const unpackRecords = (rows: { source: string; body: string }[], summary: string): Records =>
  Object.fromEntries(rows.map(({ source, body }) => [source as SourceKey, unpackBody(body, summary)]))
