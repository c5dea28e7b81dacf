import { z } from 'zod'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { epssPercent } from '../domain/epss'
import { previousReport, nextReport } from '../domain/report-times'
import { knownId } from '../domain/cve'
import type { Env } from '../env'
import { queueMail } from '../mail/outbox'
import { provisionalCondition } from '../schema/vulns'
import { newsletterToken } from './newsletter'
import { issueMail } from './newsletter-mails'
import { findSeqBefore } from './reports/read'

/** Monday, in UTC: its readers are everywhere. */
const clock = { time_zone: 'UTC', hour: 8 }
/** An issue that nobody could make for so long is left out. */
const lateHours = 48
const perIssue = 10
const [perStep, maxSteps] = [50, 10]

const Issue = z.object({
  day: z.string(),
  items: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      summary: z.string(),
      score: z.int().nullable(),
      /** Why it mattered, one line a reason. */
      reasons: z.array(z.string()),
    }),
  ),
})
export type NewsletterIssue = z.output<typeof Issue>

export async function driveNewsletter(env: Env, db: Db, now: Date) {
  const due = previousReport('weekly', clock, nextReport('weekly', clock, now).due)
  if (plusSeconds(due, lateHours * 3_600) < now) return
  const day = stamp(due).slice(0, 10)
  const found = await findIssue(db, day)
  if (!found) await makeIssue(db, day, due)
  for (let step = 0; step < maxSteps; step++) if (!(await writeMails(env, db, day, now))) return
}

const findIssue = (db: Db, day: string) =>
  db.$client
    .prepare('SELECT facts, last_reader FROM newsletters WHERE day = ?1')
    .bind(day)
    .first<{ facts: string; last_reader: number }>()

async function makeIssue(db: Db, day: string, due: Date) {
  const items = await findMattering(db, plusSeconds(due, -7 * 86_400), due)
  await db.$client
    .prepare('INSERT INTO newsletters(day, facts, last_reader) VALUES (?1, ?2, 0) ON CONFLICT DO NOTHING')
    .bind(day, JSON.stringify({ day, items }))
    .run()
}

/** Whether there may be more readers. The mark moves with the mails: NULL breaks NOT NULL where somebody else wrote them. */
async function writeMails(env: Env, db: Db, day: string, now: Date) {
  const found = await findIssue(db, day)
  const issue = Issue.parse(JSON.parse(found?.facts ?? '{"day":"","items":[]}'))
  if (!found || !issue.items.length) return false
  const { results: readers } = await db.$client
    .prepare(`SELECT id, email FROM subscribers WHERE state = 'confirmed' AND id > ?1 ORDER BY id LIMIT ${perStep}`)
    .bind(found.last_reader)
    .all<{ id: number; email: string }>()
  const last = readers.at(-1)
  if (!last) return false
  const mail = await issueMail(env, issue)
  const mails = await Promise.all(readers.map(async ({ email }) => mail(email, await newsletterToken(env, db, email))))
  await db.$client.batch([
    db.$client
      .prepare('UPDATE newsletters SET last_reader = CASE WHEN last_reader = ?2 THEN ?3 END WHERE day = ?1')
      .bind(day, found.last_reader, last.id),
    ...mails.map((one) => queueMail(db, one, now)),
  ])
  await env.DELIVERIES.send({ reason: 'due' })
  return readers.length === perStep
}

type Mattering = {
  id: number
  cveid: string | null
  summary: string
  score: number | null
  is_provisional: number
  epss: number | null
  epss_from: number | null
  kev_added_at: string | null
  is_kev_new: number
  is_exploitable: number
}

/** What everybody sees and changed meanwhile: newly in KEV, then by how far EPSS rose, and by score. */
async function findMattering(db: Db, from: Date, to: Date): Promise<NewsletterIssue['items']> {
  const [first, last] = [await findSeqBefore(db, stamp(from)), await findSeqBefore(db, stamp(to))]
  const { results } = await db.$client
    .prepare(
      `SELECT v.id, v.cveid, substr(v.summary, 1, 400) AS summary, v.score, ${provisionalCondition} AS is_provisional, v.epss, v.kev_added_at, v.is_exploitable,
         max(j.value ->> 'field' = 'kev_added_at' AND j.value ->> 'to' IS NOT NULL) AS is_kev_new,
         min(CASE WHEN j.value ->> 'field' = 'epss' THEN coalesce(j.value ->> 'from', 0) END) AS epss_from
       FROM vuln_changes c CROSS JOIN json_each(c.detail) j CROSS JOIN vulns v ON v.id = c.vuln_id
       WHERE c.seq > ?1 AND c.seq <= ?2 AND c.is_backfill = 0 AND c.kind <> 'minor' AND v.org_id IS NULL AND v.state <> 'rejected'
       GROUP BY v.id
       ORDER BY 100 * is_kev_new + 100 * max(0, coalesce(v.epss - epss_from, 0)) + coalesce(v.score, 0) DESC, v.id LIMIT ${perIssue}`,
    )
    .bind(first, last)
    .all<Mattering>()
  return results.map((row) => ({
    id: row.id,
    name: knownId(row.cveid) ?? `PH-${row.id}`,
    summary: row.summary,
    score: row.score,
    reasons: listReasons(row),
  }))
}

function listReasons(row: Mattering) {
  const { is_kev_new, kev_added_at, epss, epss_from, is_exploitable, score, is_provisional } = row
  const hasRisen = epss !== null && epss_from !== null && epss > epss_from
  return [
    ...(is_kev_new ? [`Known to be exploited since ${kev_added_at ?? 'this week'} (CISA KEV)`] : []),
    ...(!is_kev_new && kev_added_at ? ['Known to be exploited (CISA KEV)'] : []),
    ...(hasRisen ? [`EPSS rose from ${epssPercent(epss_from)} to ${epssPercent(epss)}`] : []),
    ...(is_exploitable ? ['An exploit is public'] : []),
    ...(score === null ? [] : [`Score ${score}/100${is_provisional ? ' (provisional)' : ''}`]),
  ]
}
