import { and, eq, lte, sql } from 'drizzle-orm'
import { headStatement, type AuditHead } from '../auth/audit'
import { getDataKey } from '../auth/data-keys'
import { eachApart } from '../db/apart'
import type { Db } from '../db/open'
import { deleteRows } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { auditLog } from '../schema/orgs'

export const auditDays = 730
const orgsPerRun = 300

/** The head remembers where the log now begins, so that the chain still holds. */
export async function pruneAudit(env: Env, db: Db, now: Date) {
  const key = await getDataKey(env, db, 'audit')
  const oldest = stamp(plusSeconds(now, -auditDays * 86_400))
  const heads = await db.all<AuditHead & { old_seq: number; old_hash: string }>(sql`
    SELECT h.*, old.seq AS old_seq, old.hash AS old_hash FROM audit_heads h JOIN audit_log old ON old.org_id = h.org_id
      AND old.seq = (SELECT max(seq) FROM audit_log WHERE org_id = h.org_id AND at < ${oldest}) ORDER BY random() LIMIT ${orgsPerRun}`)
  return eachApart(db, heads, async ({ old_seq, old_hash, ...head }) =>
    db.$client.batch([
      await headStatement(db, key, { ...head, pruned_seq: old_seq, pruned_hash: old_hash }),
      deleteRows(db, auditLog, and(eq(auditLog.org_id, head.org_id), lte(auditLog.seq, old_seq))),
    ]),
  )
}
