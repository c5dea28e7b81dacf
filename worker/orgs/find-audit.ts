import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import { statement } from '../db/statement'
import type { Db } from '../db/open'
import { countCap, offsetOf } from '../http/page'
import { entryHash } from '../auth/audit'
import type { AuditQuery } from './contract'

type Entry = Parameters<typeof entryHash>[0] & { hash: string; previous: string | null }

/** Entries of the organization's log, and whether each is what was written and follows the one that was before it. */
export async function findAudit(db: Db, org_id: number, query: z.output<typeof AuditQuery>) {
  const { action, actor, at__gte, at__lte, sorted_by } = query
  const conditions = [
    sql`a.org_id = ${org_id}`,
    action ? sql`substr(a.action, 1, ${action.length}) = ${action}` : undefined,
    actor ? sql`instr(lower(a.actor), ${actor.toLowerCase()}) > 0` : undefined,
    at__gte ? sql`a.at >= ${at__gte}` : undefined,
    at__lte ? sql`a.at <= ${endOf(at__lte)}` : undefined,
  ]
  const where = sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  )
  const direction = sorted_by === 'seq' ? sql`asc` : sql`desc`
  const [page, counted] = await db.$client.batch<Entry & { count: number }>([
    statement(
      db,
      sql`select a.*, p.hash as previous from audit_log a
        left join audit_log p on p.org_id = a.org_id and p.seq = a.seq - 1
        where ${where} order by a.seq ${direction} limit ${query.limit} offset ${offsetOf(query)}`,
    ),
    statement(db, sql`select count(*) as count from (select 1 from audit_log a where ${where} limit ${countCap + 1})`),
  ])
  const results = page?.results ?? []
  const count = counted?.results[0]?.count ?? 0
  const checks = await Promise.all(results.map(isIntact))
  return {
    found: { count: Math.min(count, countCap), count_is_exact: count <= countCap, results },
    is_intact: checks.every(Boolean),
  }
}

async function isIntact(entry: Entry) {
  const follows = entry.seq === 1 ? entry.prev_hash === '' : entry.prev_hash === entry.previous
  return follows && entry.hash === (await entryHash(entry))
}

// A day means all of it, a minute or a second likewise: `~` sorts after every digit.
const endOf = (when: string) => `${when.replace(/Z$/, '')}~`
