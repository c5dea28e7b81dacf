import { sql } from 'drizzle-orm'
import type { Records } from '../domain/words/merge'
import type { SourceKey } from '../domain/words/record'
import { unpackBody } from './record-body'
import { vulnRecords } from '../schema/vulns'

export const bodyHex = sql<string>`hex(${vulnRecords.body})`.as('body')

export const unpackRecords = (rows: { source: string; body: string }[], summary: string): Records =>
  Object.fromEntries(rows.map(({ source, body }) => [source as SourceKey, unpackBody(body, summary)]))
