import { headStatement } from '../auth/audit'
import type { AuditHead } from '../auth/audit'
import { getDataKey } from '../auth/data-keys'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'

export const auditDays = 730
const orgsPerRun = 500

/** The head remembers where the log now begins, so that the chain still holds. */
export async function pruneAudit(env: Env, db: Db, now: Date) {
  const key = await getDataKey(env, db, 'audit')
  const { results } = await db.$client
    .prepare(
      `SELECT h.*, old.seq AS old_seq, old.hash AS old_hash FROM audit_heads h JOIN audit_log old ON old.org_id = h.org_id
         AND old.seq = (SELECT max(seq) FROM audit_log WHERE org_id = h.org_id AND at < ?1) LIMIT ${orgsPerRun}`,
    )
    .bind(stamp(plusSeconds(now, -auditDays * 86_400)))
    .all<AuditHead & { old_seq: number; old_hash: string }>()
  for (const { old_seq, old_hash, ...head } of results)
    await db.$client.batch([
      await headStatement(db, key, { ...head, pruned_seq: old_seq, pruned_hash: old_hash }),
      db.$client.prepare('DELETE FROM audit_log WHERE org_id = ?1 AND seq <= ?2').bind(head.org_id, old_seq),
    ])
}
