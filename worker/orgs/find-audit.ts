import { and, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { sqlStatement } from '../db/statement'
import type { Db } from '../db/open'
import { countCap, pageOffset } from '../http/page'
import { entryHash, headMac, type AuditHead, type Chained } from '../auth/audit'
import { getDataKey } from '../auth/data-keys'
import type { Env } from '../env'
import type { AuditQuery } from './contract'

type Entry = Chained & { hash: string; previous: string | null; org_name: string | null }

export async function findAudit(env: Env, db: Db, org_id: number, query: z.output<typeof AuditQuery>) {
  const { action, actor, at__gte, at__lte, sorted_by } = query
  const where = and(
    sql`a.org_id = ${org_id}`,
    action ? sql`substr(a.action, 1, ${action.length}) = ${action}` : undefined,
    actor ? sql`instr(lower(a.actor), ${actor.toLowerCase()}) > 0` : undefined,
    at__gte ? sql`a.at >= ${at__gte}` : undefined,
    at__lte ? sql`a.at <= ${lastMoment(at__lte)}` : undefined,
  )
  const direction = sorted_by === 'seq' ? sql`ASC` : sql`DESC`
  const key = await getDataKey(env, db, 'audit')
  const [page, counted, heads, last] = await db.$client.batch<Entry & AuditHead & { count: number }>([
    sqlStatement(db)`SELECT a.*, p.hash AS previous, ${orgNumbered} AS org_name FROM audit_log a
        LEFT JOIN audit_log p ON p.org_id = a.org_id AND p.seq = a.seq - 1
        WHERE ${where} ORDER BY a.seq ${direction} LIMIT ${query.limit} OFFSET ${pageOffset(query)}`,
    sqlStatement(db)`SELECT count(*) AS count FROM (SELECT 1 FROM audit_log a WHERE ${where} LIMIT ${countCap + 1})`,
    sqlStatement(db)`SELECT * FROM audit_heads WHERE org_id = ${org_id}`,
    sqlStatement(db)`SELECT seq, hash FROM audit_log WHERE org_id = ${org_id} ORDER BY seq DESC LIMIT 1`,
  ])
  const results = page?.results ?? []
  const count = counted?.results[0]?.count ?? 0
  const [head, end] = [heads?.results[0], last?.results[0]]
  const checks = await Promise.all([isWhole(key, head, end), ...results.map((entry) => isIntact(key, entry, head))])
  return {
    found: {
      count: Math.min(count, countCap),
      count_is_exact: count <= countCap,
      results: results.map(({ org_name, ...entry }) => ({ ...entry, target: org_name ?? entry.target })),
    },
    is_intact: checks.every(Boolean),
  }
}

/** The log of the operator holds numbers of organizations, and shows their names while they are here. A number may serve again. */
const orgNumbered = sql`(SELECT o.name FROM orgs o WHERE o.id = a.detail ->> 'org_id' AND o.created_at <= a.at)`

type Key = Uint8Array<ArrayBuffer>

// The log reaches the end that is kept apart; a log without entries has none, or lost them all to their age.
async function isWhole(key: Key, head: AuditHead | undefined, end: { seq: number; hash: string } | undefined) {
  if (!head) return end === undefined
  const { seq = head.pruned_seq, hash = head.pruned_hash } = end ?? {}
  return seq === head.seq && hash === head.hash && head.mac === (await headMac(key, head))
}

async function isIntact(key: Key, entry: Entry, head: AuditHead | undefined) {
  const isFirst = entry.seq === (head?.pruned_seq ?? 0) + 1
  const follows = entry.prev_hash === (isFirst ? (head?.pruned_hash ?? '') : entry.previous)
  return follows && entry.hash === (await entryHash(key, entry))
}

// A day means all of it, a minute or a second likewise: `~` sorts after every digit.
const lastMoment = (when: string) => `${when.replace(/Z$/, '')}~`
