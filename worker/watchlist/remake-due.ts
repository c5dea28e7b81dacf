import { sql } from 'drizzle-orm'
import { eachApart } from '../db/apart'
import { abort, isAborted } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { literal } from '../db/values'
import { dueByNewPolicy } from './rewatch'

/** Rows of a step, which takes a second or two. */
const perStep = 5_000
/** Steps of a turn of the clock, of all organizations together. */
const stepsAtOnce = 20

type Remake = { org_id: number; after_id: number }

/** For the batch that changes the policy: an organization that watches little has all its new days with it, others the first. */
export async function beginRemake(db: Db, org_id: number) {
  const begun = sql`INSERT INTO due_remakes(org_id, after_id, done, total)
    SELECT ${org_id}, 0, 0, count(*) FROM org_vulns WHERE org_id = ${org_id}
    ON CONFLICT DO UPDATE SET after_id = 0, done = 0, total = excluded.total`
  return [statement(db, begun), ...(await stepStatements(db, { org_id, after_id: 0 }))]
}

/** The other rows, each step a batch; run twice, none is left out. Organizations take turns, and those that began anew stand behind those that go on. */
export async function remakeDue(db: Db) {
  for (let left = stepsAtOnce; left > 0;) {
    const next = await db.all<Remake>(
      sql`SELECT org_id, after_id FROM due_remakes ORDER BY done DESC, org_id LIMIT ${literal(left)}`,
    )
    if (!next.length) return
    await eachApart(db, next, (remake) => takeStep(db, remake))
    left -= next.length
  }
}

const takeStep = async (db: Db, remake: Remake) =>
  db.$client.batch(await stepStatements(db, remake)).catch((error: unknown) => {
    // Somebody chose another policy meanwhile, or takes the same step.
    if (!isAborted(error, 'due days')) throw error
  })

async function stepStatements(db: Db, { org_id, after_id }: Remake) {
  const [step] = await db.all<{ to: number; count: number }>(sql`
    SELECT coalesce(max(vuln_id), 0) AS "to", count(*) AS count FROM (
      SELECT vuln_id FROM org_vulns WHERE org_id = ${org_id} AND vuln_id > ${after_id} ORDER BY vuln_id LIMIT ${literal(perStep)})`)
  const { to, count } = step ?? { to: 0, count: 0 }
  const isLast = count < perStep
  const moved = isLast
    ? sql`DELETE FROM due_remakes WHERE org_id = ${org_id} AND CASE WHEN after_id = ${after_id} THEN 1 ELSE ${abort('due days')} END`
    : sql`UPDATE due_remakes SET after_id = CASE WHEN after_id = ${after_id} THEN ${to} ELSE ${abort('due days')} END, done = done + ${count}
        WHERE org_id = ${org_id}`
  return [
    statement(db, moved),
    dueByNewPolicy(db, org_id, { after: after_id, to: isLast ? Number.MAX_SAFE_INTEGER : to }),
  ]
}

/** Null where all days are those of the policy. */
export async function findRemake(db: Db, org_id: number) {
  const [found] = await db.all<{ done: number; total: number }>(
    sql`SELECT done, total FROM due_remakes WHERE org_id = ${org_id}`,
  )
  return found ?? null
}
