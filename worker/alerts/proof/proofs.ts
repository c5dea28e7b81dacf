import { desc, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { toDay } from '../../db/time'
import { alertProofs } from '../../schema/alerts'
import { clockJobs } from '../../schema/jobs'
import { alertDays } from './prune'
import { proofCounts, emptyProof, recountDay } from './proof'
import { DayProof } from './contract'

const shownDays = 30

export async function findProofs(db: Db, org_id: number, now: Date) {
  const day = toDay(now)
  const [days, today, job] = await Promise.all([
    findDayProofs(db, org_id, shownDays),
    recountDay(db, { day, org_id }),
    db.select({ last_success: clockJobs.last_success }).from(clockJobs).where(eq(clockJobs.name, 'alert_proofs')).get(),
  ])
  return { proved_at: job?.last_success ?? null, today: today.get(org_id) ?? emptyProof(day), days }
}

async function findDayProofs(db: Db, org_id: number, limit: number) {
  const found = await db
    .select({ body: alertProofs.body })
    .from(alertProofs)
    .where(eq(alertProofs.org_id, org_id))
    .orderBy(desc(alertProofs.day))
    .limit(limit)
  return found.flatMap(({ body }) => DayProof.safeParse(JSON.parse(body)).data ?? [])
}

const columns = ['day', ...proofCounts] as const

export async function downloadProofs(db: Db, org_id: number, format: 'csv' | 'json') {
  const proofs = await findDayProofs(db, org_id, alertDays)
  const lines = proofs.map((proof) => columns.map((name) => proof[name]).join())
  const body = format === 'json' ? JSON.stringify(proofs, null, 2) : [columns.join(), ...lines, ''].join('\r\n')
  return new Response(body, {
    headers: {
      'content-type': format === 'json' ? 'application/json' : 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="earshot_alert_proofs.${format}"`,
    },
  })
}
