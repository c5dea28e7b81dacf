import { DatabaseSync } from 'node:sqlite'
import { emptyDatabase } from '../bench/raw-load.ts'
import type { Advisory, PublisherRecord } from './knowledge.ts'
import { passwordHash } from './organizations.ts'

export const organizationNames = ['alder', 'birch', 'cedar'] as const
export const listUsernames = (name: string) => [`${name}-boss`, `${name}-member`]

/** The schema of the Worker, with organizations of an admin and a member each that are told by webhook. */
/** What every story begins with: a database, and what the publishers say by then. */
export type Base = {
  database: Uint8Array
  now_ms: number
  records: [string, PublisherRecord][]
  advisories: [string, Advisory][]
}

export function createOrganizations(migrations: string): Uint8Array {
  const file = emptyDatabase(migrations, ':memory:')
  const at = '2026-01-01T00:00:00Z'
  const run = (sql: string, ...values: (string | number)[]) =>
    file.prepare(sql).run(...values).lastInsertRowid as number
  for (const name of organizationNames) {
    const org_id = run('INSERT INTO orgs(name, slug, created_at) VALUES (?, ?, ?)', name, name, at)
    run(
      'INSERT INTO alert_settings(org_id, alerts_emails) VALUES (?, ?)',
      org_id,
      JSON.stringify([`${name}@${name}.test`]),
    )
    run('INSERT INTO alert_addresses(org_id, email, confirmed_at) VALUES (?, ?, ?)', org_id, `${name}@${name}.test`, at)
    for (const [place, username] of listUsernames(name).entries()) {
      const user_id = run(
        'INSERT INTO users(username, email, password_hash, created_at, email_verified_at) VALUES (?, ?, ?, ?, ?)',
        username,
        `${username}@${name}.test`,
        passwordHash,
        at,
        at,
      )
      run('INSERT INTO members(org_id, user_id, is_admin) VALUES (?, ?, ?)', org_id, user_id, place === 0 ? 1 : 0)
    }
  }
  const bytes = file.serialize()
  file.close()
  return bytes
}

export function openCopy(database: Uint8Array) {
  const file = new DatabaseSync(':memory:')
  file.deserialize(database)
  return file
}
