import { sql, type SQL } from 'drizzle-orm'
import { isTaken } from '../db/guard'
import type { Db } from '../db/open'
import { pause } from '../db/readers'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import type { AuditAction } from '../domain/people/audit-actions'
import type { Env } from '../env'
import { Failure } from '../http/errors'
import type { Client } from '../http/route'
import { auditHeads, auditLog } from '../schema/orgs'
import { getDataKey, sign } from './data-keys'

export type AuditEntry = {
  org_id: number
  /** Null for somebody who is not signed in, or for Earshot itself. */
  actor_id: number | null
  actor: string
  action: AuditAction
  /** To whom or what. */
  target: string
  detail?: Record<string, unknown>
}

/** Of those who write at once one wins each round: the others wait a little. */
const [maxAttempts, maxPause_ms] = [50, 50]

export type Scene = { env: Env; client: Client; now: Date }

/** Both in one batch: neither is there without the other. Each entry's hash covers the one before, under a key that is stored encrypted. */
export async function audited(
  db: Db,
  statements: D1PreparedStatement[],
  entry: AuditEntry | AuditEntry[],
  scene: Scene,
) {
  const entries = [entry].flat()
  const write = await readyLogs(
    db,
    entries.map(({ org_id }) => org_id),
    scene,
  )
  return write(statements, entries)
}

/** Reads what an entry needs beforehand, in one trip with whatever else is read in this turn. */
export async function readyAudit(db: Db, org_id: number, scene: Scene) {
  const write = await readyLogs(db, [org_id], scene)
  return (statements: D1PreparedStatement[], entry: Omit<AuditEntry, 'org_id'>) =>
    write(statements, [{ ...entry, org_id }])
}

/** Of several logs, in the order of their entries; an organization that is read in the same trip is named by its expression. */
export async function readyLogs(db: Db, logs: (number | SQL)[], scene: Scene) {
  const findEnds = (org_ids: (number | SQL)[]) => Promise.all(org_ids.map((org_id) => findLast(db, org_id)))
  const [key, first] = await Promise.all([getDataKey(scene.env, db, 'audit'), findEnds(logs)])
  return async (statements: D1PreparedStatement[], entries: AuditEntry[]) => {
    const findAgain = () => findEnds(entries.map(({ org_id }) => org_id))
    // A new organization has no number yet where its log is read.
    const areTheirs = entries.every(({ org_id }, at) => (first[at]?.org_id ?? org_id) === org_id)
    for (let [attempt, ends] = [1, areTheirs ? first : await findAgain()]; ; attempt++, ends = await findAgain()) {
      try {
        const written = await Promise.all(
          entries.map((entry, at) => entryStatements(db, key, { ...entry, last: ends[at] }, scene)),
        )
        const results = await db.$client.batch([...statements, ...written.flat()])
        return results.slice(0, statements.length)
      } catch (error) {
        // Another entry of the organization came between our reading and our writing.
        if (!isTaken(error, 'audit_log')) throw error
        if (attempt === maxAttempts) throw busy()
        await pause(Math.min(maxPause_ms, 5 * attempt))
      }
    }
  }
}

type Key = Uint8Array<ArrayBuffer>
type Last = Pick<Head, 'seq' | 'pruned_seq' | 'pruned_hash'> & {
  org_id: number | null
  last_seq: number
  hash: string | null
}

async function findLast(db: Db, org_id: number | SQL) {
  const [found] = await db.all<Last>(sql`
    SELECT ${org_id} AS org_id, coalesce((SELECT max(seq) FROM audit_log WHERE org_id = ${org_id}), 0) AS last_seq,
      coalesce(h.seq, 0) AS seq, h.hash, coalesce(h.pruned_seq, 0) AS pruned_seq,
      coalesce(h.pruned_hash, '') AS pruned_hash
    FROM (SELECT 1) LEFT JOIN audit_heads h ON h.org_id = ${org_id}`)
  return found
}

type Following = AuditEntry & { last: Last | undefined }

async function entryStatements(db: Db, key: Key, { last, ...entry }: Following, { client, now }: Omit<Scene, 'env'>) {
  const { last_seq = 0, hash: last_hash = null, pruned_seq = 0, pruned_hash = '' } = last ?? {}
  const row = {
    org_id: entry.org_id,
    // A log whose head was lost goes on, and shows the break.
    seq: Math.max(last?.seq ?? 0, last_seq) + 1,
    at: stamp(now),
    actor_id: entry.actor_id,
    actor: entry.actor,
    action: entry.action,
    // Half a character would come back from the database as another one, and the chain would not hold.
    target: entry.target.toWellFormed(),
    detail: JSON.stringify(entry.detail ?? {}),
    ip: client.ip,
    prev_hash: last_hash ?? (last_seq ? 'lost' : ''),
  }
  const hash = await entryHash(key, row)
  const { org_id, seq } = row
  return [
    statement(db, db.insert(auditLog).values({ ...row, hash })),
    await headStatement(db, key, { org_id, seq, hash, pruned_seq, pruned_hash }),
  ]
}

export type AuditHead = typeof auditHeads.$inferSelect
type Head = Omit<AuditHead, 'mac'>

export async function headStatement(db: Db, key: Key, head: Head) {
  const { org_id, ...set } = { ...head, mac: await headMac(key, head) }
  return statement(
    db,
    db
      .insert(auditHeads)
      .values({ org_id, ...set })
      .onConflictDoUpdate({ target: auditHeads.org_id, set }),
  )
}

export const headMac = (key: Key, { org_id, seq, hash, pruned_seq, pruned_hash }: Head) =>
  sign(key, JSON.stringify(['head', org_id, seq, hash, pruned_seq, pruned_hash]))

export type Chained = Omit<typeof auditLog.$inferSelect, 'id' | 'hash'>

export const entryHash = (key: Key, row: Chained) => {
  const { org_id, seq, at, actor_id, actor, action, target, detail, ip, prev_hash } = row
  return sign(key, JSON.stringify([org_id, seq, at, actor_id, actor, action, target, detail, ip, prev_hash]))
}

const busyText = 'Many people change this organization right now: nothing was changed, try again in a moment'
const busy = () => new Failure(429, 'busy', busyText, { headers: { 'retry-after': '1' } })
