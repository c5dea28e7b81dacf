import { and, desc, eq, lt, ne, notExists } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusDays, stamp, toDay } from '../../db/time'
import { alertChannels, alertProofs, alerts, incidents, summaries } from '../../schema/alerts'
import { clockJobs } from '../../schema/jobs'
import { emptyProof, proofCounts, recountDay } from './proof'
import { DayProof } from './contract'
import { prune } from '../../db/prune'

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

/** Thirteen months, so that a year can be looked back on. */
export const alertDays = 400
/** Summaries that no chat took are read for a while. */
const summaryDays = 7

const isItsRoute = and(
  eq(alertChannels.org_id, incidents.org_id),
  eq(alertChannels.channel, incidents.channel),
  ne(alertChannels.secrets, ''),
)

/** Deliveries go with their alerts. */
export const pruneAlerts = (db: Db, now: Date) => {
  // Whole days go: a sealed day stands whole or not at all.
  const before = `${toDay(plusDays(now, -alertDays))}T00:00:00Z`
  const isRouteGone = notExists(db.select().from(alertChannels).where(isItsRoute))
  return prune(db, [
    // Before the alerts that it proves.
    {
      table: alertProofs,
      key: [alertProofs.org_id, alertProofs.day],
      isOld: lt(alertProofs.day, before.slice(0, 10)),
    },
    { table: alerts, key: [alerts.id], isOld: lt(alerts.created_at, before), isOrdered: true },
    { table: incidents, key: [incidents.org_id, incidents.channel, incidents.vuln_id], isOld: isRouteGone },
    {
      table: summaries,
      key: [summaries.id],
      isOld: lt(summaries.created_at, stamp(plusDays(now, -summaryDays))),
      isOrdered: true,
    },
  ])
}
