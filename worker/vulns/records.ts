import { sql } from 'drizzle-orm'
import type { Records } from '../domain/merge'
import type { SourceKey } from '../domain/record'
import { unpackBody } from './record-body'
import { vulnRecords } from './tables'

/** D1 hands bytes over as a list of numbers, hex as one string. */
export const bodyHex = sql<string>`hex(${vulnRecords.body})`.as('body')

export const recordsOf = (rows: { source: string; body: string }[]): Records =>
  Object.fromEntries(rows.map(({ source, body }) => [source as SourceKey, unpackBody(body)]))
