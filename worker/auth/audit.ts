import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Client } from '../http/route'
import { hashOf } from './keys'

export type AuditEntry = {
  org_id: number
  /** Null for somebody who is not signed in, or for Earshot itself. */
  actor_id: number | null
  actor: string
  /** What was done, as noun.verb: member.invite, org.disable, user.sign_in. */
  action: string
  /** To whom or what. */
  target: string
  detail?: Record<string, unknown>
}

const maxAttempts = 5

/**
 * Does something and writes it into the organization's audit log in one batch: neither is there without the other. Each
 * entry's hash covers the one before, so that a row changed or taken out later breaks the chain.
 */
export async function audited(
  db: Db,
  statements: D1PreparedStatement[],
  entry: AuditEntry,
  { client, now }: { client: Client; now: Date },
) {
  for (let attempt = 1; ; attempt++) {
    try {
      const results = await db.$client.batch([...statements, await entryStatement(db, entry, client, now)])
      return results.slice(0, statements.length)
    } catch (error) {
      if (!isOvertaken(error) || attempt === maxAttempts) throw error
    }
  }
}

async function entryStatement(db: Db, entry: AuditEntry, { ip }: Client, now: Date) {
  const last = await db.$client
    .prepare('SELECT seq, hash FROM audit_log WHERE org_id = ?1 ORDER BY seq DESC LIMIT 1')
    .bind(entry.org_id)
    .first<{ seq: number; hash: string }>()
  const row = {
    org_id: entry.org_id,
    seq: (last?.seq ?? 0) + 1,
    at: stamp(now),
    actor_id: entry.actor_id,
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    detail: JSON.stringify(entry.detail ?? {}),
    ip,
    prev_hash: last?.hash ?? '',
  }
  return db.$client
    .prepare(
      `INSERT INTO audit_log(org_id, seq, at, actor_id, actor, action, target, detail, ip, prev_hash, hash)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
    )
    .bind(...Object.values(row), await entryHash(row))
}

type Chained = {
  org_id: number
  seq: number
  at: string
  actor_id: number | null
  actor: string
  action: string
  target: string
  detail: string
  ip: string
  prev_hash: string
}

/** The hash of an entry over all its fields and the hash before it. */
export const entryHash = ({ org_id, seq, at, actor_id, actor, action, target, detail, ip, prev_hash }: Chained) =>
  hashOf(JSON.stringify([org_id, seq, at, actor_id, actor, action, target, detail, ip, prev_hash]))

// Another entry of the organization came between our reading and our writing.
const isOvertaken = (error: unknown) =>
  error instanceof Error && /UNIQUE constraint failed: audit_log/.test(error.message)
