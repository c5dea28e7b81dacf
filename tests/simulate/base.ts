import { DatabaseSync } from 'node:sqlite'
import { emptyDatabase } from '../bench/raw-load.ts'
import type { Advisory, PublisherRecord } from './knowledge.ts'
import { foundingStatements } from './organizations.ts'

/** What every story begins with: a database, and what the publishers say by then. */
export type Base = {
  database: Uint8Array
  now_ms: number
  records: [string, PublisherRecord][]
  advisories: [string, Advisory][]
}

/** The schema of the Worker, with the organizations that every story begins with, before anything is published. */
export function createOrganizations(migrations: string): Base {
  const file = emptyDatabase(migrations, ':memory:')
  for (const sql of foundingStatements) file.exec(sql)
  const database = file.serialize()
  file.close()
  return { database, now_ms: Date.parse('2027-01-04T00:00:00Z'), records: [], advisories: [] }
}

/** Those of D1, as workerd sets them. */
const limits = {
  length: 2_200_000,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  vdbeOp: 25_000,
  functionArg: 127,
  likePatternLength: 50,
  variableNumber: 100,
  triggerDepth: 10,
}

export function openCopy(database: Uint8Array) {
  const file = new DatabaseSync(':memory:', { limits })
  file.deserialize(database)
  return file
}
