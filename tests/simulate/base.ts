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

/** The schema of the Worker, with the organizations that every story begins with. */
export function createOrganizations(migrations: string): Uint8Array {
  const file = emptyDatabase(migrations, ':memory:')
  for (const sql of foundingStatements) file.exec(sql)
  const bytes = file.serialize()
  file.close()
  return bytes
}

export function openCopy(database: Uint8Array) {
  const file = new DatabaseSync(':memory:')
  file.deserialize(database)
  return file
}
