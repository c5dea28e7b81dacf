import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { alertDays } from './prune'
import { proofCounts, emptyProof, recountDay } from './proof'
import { DayProof } from './proof-contract'

const shownDays = 30

export async function findProofs(db: Db, org_id: number, now: Date) {
  const day = stamp(now).slice(0, 10)
  const [days, today, job] = await Promise.all([
    readProofs(db, org_id, shownDays),
    recountDay(db, { day, org_id }),
    db.$client
      .prepare("SELECT last_success FROM clock_jobs WHERE name = 'alert_proofs'")
      .first<{ last_success: string | null }>(),
  ])
  return { proved_at: job?.last_success ?? null, today: today.get(org_id) ?? emptyProof(day), days }
}

async function readProofs(db: Db, org_id: number, limit: number) {
  const { results } = await db.$client
    .prepare('SELECT body FROM alert_proofs WHERE org_id = ?1 ORDER BY day DESC LIMIT ?2')
    .bind(org_id, limit)
    .all<{ body: string }>()
  return results.flatMap(({ body }) => DayProof.safeParse(JSON.parse(body)).data ?? [])
}

const columns = ['day', ...proofCounts] as const

export async function downloadProofs(db: Db, org_id: number, format: 'csv' | 'json') {
  const proofs = await readProofs(db, org_id, alertDays)
  const lines = proofs.map((proof) => columns.map((name) => proof[name]).join())
  const body = format === 'json' ? JSON.stringify(proofs, null, 2) : [columns.join(), ...lines, ''].join('\r\n')
  return new Response(body, {
    headers: {
      'content-type': format === 'json' ? 'application/json' : 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="earshot_alert_proofs.${format}"`,
    },
  })
}
