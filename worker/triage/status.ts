import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isDecidedHere } from '../decisions/write'
import type { VulnStatus } from '../domain/decisions/status'
import { users } from '../schema/auth'
import { decisionChanges, decisions } from '../schema/decisions'
import { requireVuln } from '../watchlist/visible'
import { toPerson } from '../decisions/describe'

const maxHistory = 100
/** Another reason alone is no other status. */
const isOtherStatus = sql`${decisionChanges.verdict} IS NOT ${decisionChanges.before} ->> 'verdict' AND ${sql.raw(isDecidedHere('decision_changes'))}`

export async function findStatus(db: Db, org_id: number, vuln_id: number) {
  const isOfVuln = and(
    eq(decisions.vuln_id, vuln_id),
    eq(decisions.org_id, org_id),
    eq(decisions.scope, 'vulnerability'),
  )
  const found = db.batch([
    db
      .select({
        status: sql<VulnStatus>`${decisions.verdict}`.as('status'),
        justification: decisions.justification,
        note: decisions.note,
        owner: decisions.owner,
        expires_at: decisions.last_day,
        updated_at: decisions.decided_at,
        user_id: decisions.user_id,
        username: users.username,
      })
      .from(decisions)
      .leftJoin(users, eq(users.id, decisions.user_id))
      .where(isOfVuln),
    db
      .select({
        status: sql<VulnStatus>`coalesce(${decisionChanges.verdict}, 'undefined')`.as('status'),
        at: decisionChanges.at,
        user_id: decisionChanges.user_id,
        username: users.username,
      })
      .from(decisionChanges)
      .leftJoin(users, eq(users.id, decisionChanges.user_id))
      .where(
        and(
          eq(decisionChanges.org_id, org_id),
          eq(decisionChanges.vuln_id, vuln_id),
          eq(decisionChanges.scope, 'vulnerability'),
          isOtherStatus,
        ),
      )
      .orderBy(desc(decisionChanges.id))
      .limit(maxHistory),
  ])
  const [[[row], history]] = await Promise.all([found, requireVuln(db, org_id, vuln_id)])
  return {
    status: row?.status ?? ('undefined' as const),
    updated_at: row?.updated_at ?? null,
    by: row ? toPerson(row.user_id, row.username) : null,
    justification: row?.justification ?? null,
    note: row?.note ?? null,
    owner: row?.owner ?? null,
    expires_at: row?.expires_at ?? null,
    history: history.map(({ status, at, user_id, username }) => ({ status, at, by: toPerson(user_id, username) })),
  }
}
