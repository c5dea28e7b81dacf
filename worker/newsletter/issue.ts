import { and, asc, eq, gt, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { By } from '../auth/audited-by'
import { getDataKey, sign } from '../auth/data-keys'
import { abort } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusDays, plusSeconds, stamp, toDay } from '../db/time'
import { literal } from '../db/values'
import { epssPercent } from '../domain/scores/epss'
import { previousReport, nextReport } from '../domain/alerts/report-times'
import { knownId } from '../domain/names/cve'
import type { Env } from '../env'
import { Failure } from '../http/errors'
import { orTooMany, spendStatement } from '../mail/allowance'
import { queueMail } from '../mail/outbox'
import { subscribers } from '../schema/alerts'
import { users } from '../schema/auth'
import { newsletters } from '../schema/reports'
import { isProvisional, type vulns } from '../schema/vulns'
import { issueMail } from './mails'
import { newsletterToken } from './newsletter'
import { findSeqBefore } from '../alerts/change-log'

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
  const day = toDay(due)
  const found = await findIssue(db, day)
  if (!found) await makeIssue(db, day, due)
  for (let step = 0; step < maxSteps; step++) if (!(await writeMails(env, db, day, now))) return
}

const findIssue = (db: Db, day: string) =>
  db
    .select({ facts: newsletters.facts, last_reader: newsletters.last_reader })
    .from(newsletters)
    .where(eq(newsletters.day, day))
    .get()

async function makeIssue(db: Db, day: string, due: Date) {
  const items = await findMattering(db, plusDays(due, -7), due)
  const facts = JSON.stringify({ day, items })
  await db.insert(newsletters).values({ day, facts, last_reader: 0 }).onConflictDoNothing()
}

/** Whether there may be more readers. The mark moves with the mails: it undoes them where somebody else wrote them. */
async function writeMails(env: Env, db: Db, day: string, now: Date) {
  const found = await findIssue(db, day)
  const issue = Issue.parse(JSON.parse(found?.facts ?? '{"day":"","items":[]}'))
  if (!found || !issue.items.length) return false
  const readers = await db
    .select({ id: subscribers.id, email: subscribers.email })
    .from(subscribers)
    .where(and(eq(subscribers.state, 'confirmed'), gt(subscribers.id, found.last_reader)))
    .orderBy(asc(subscribers.id))
    .limit(perStep)
  const last = readers.at(-1)
  if (!last) return false
  const mail = await issueMail(env, issue)
  const key = await getDataKey(env, db, 'newsletter')
  const mails = await Promise.all(readers.map(async ({ email }) => mail(email, await sign(key, email))))
  const last_reader = sql`CASE WHEN ${newsletters.last_reader} = ${found.last_reader} THEN ${last.id} ELSE ${abort('newsletter')} END`
  await db.$client.batch([
    statement(db, db.update(newsletters).set({ last_reader }).where(eq(newsletters.day, day))),
    ...mails.map((written) => queueMail(db, { org_id: null, ...written }, now)),
  ])
  await env.DELIVERIES.send({ reason: 'due' })
  return readers.length === perStep
}

type Mattering = Pick<typeof vulns.$inferSelect, 'id' | 'cveid' | 'summary' | 'score' | 'epss' | 'kev_added_at'> &
  Record<'is_provisional' | 'is_kev_new' | 'is_exploitable', number> & { epss_from: number | null }

/** Of a change `j`. */
const isOfField = (field: string) => sql.raw(`j.value ->> 'field' = '${field}'`)
const isKevNew = sql`max(${isOfField('kev_added_at')} AND j.value ->> 'to' IS NOT NULL)`
const epssFrom = sql`min(CASE WHEN ${isOfField('epss')} THEN coalesce(j.value ->> 'from', 0) END)`
const weight = sql`100 * is_kev_new + 100 * max(0, coalesce(v.epss - epss_from, 0)) + coalesce(v.score, 0)`

/** Public vulnerabilities that changed meanwhile: newly in KEV, then by how far EPSS rose, and by score. */
export async function findMattering(db: Db, from: Date, to: Date): Promise<NewsletterIssue['items']> {
  const [first, last] = await Promise.all([from, to].map((at) => findSeqBefore(db, stamp(at))))
  const rows = await db.all<Mattering>(sql`
    SELECT v.id, v.cveid, substr(v.summary, 1, 400) AS summary, v.score, ${isProvisional} AS is_provisional, v.epss, v.kev_added_at,
      v.is_exploitable, ${isKevNew} AS is_kev_new, ${epssFrom} AS epss_from
    FROM vuln_changes c CROSS JOIN json_each(c.detail) j CROSS JOIN vulns v ON v.id = c.vuln_id
    WHERE c.seq > ${first} AND c.seq <= ${last} AND c.is_backfill = 0 AND c.kind <> 'minor' AND v.org_id IS NULL AND v.state <> 'rejected'
    GROUP BY v.id ORDER BY ${weight} DESC, v.id LIMIT ${literal(perIssue)}`)
  return rows.map((row) => ({
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

const samplesPerDay = 20

async function makeSample(db: Db, { env, actor, now }: By) {
  const findReader = async () => {
    const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, actor.user_id))
    return user && { to: user.email, token: await newsletterToken(env, db, user.email) }
  }
  const [items, reader] = await Promise.all([findMattering(db, plusDays(now, -7), now), findReader()])
  if (!items.length || !reader) return null
  const mail = await issueMail(env, { day: toDay(now), items })
  return mail(reader.to, reader.token)
}

export async function previewIssue(db: Db, by: By) {
  const mail = await makeSample(db, by)
  if (!mail) return null
  const { subject, text } = mail
  return { subject, text, readers: await db.$count(subscribers, sql`state = 'confirmed'`) }
}

export async function sendIssueSample(db: Db, by: By) {
  const mail = await makeSample(db, by)
  if (!mail) throw new Failure(409, 'conflict', 'Nothing mattered in the last seven days')
  const spend = { key: `newsletter samples of ${by.actor.user_id}`, limit: samplesPerDay }
  const written = { ...mail, subject: `(sample) ${mail.subject}` }
  await db.$client
    .batch([spendStatement(db, spend, by.now), queueMail(db, { org_id: null, ...written }, by.now)])
    .catch(orTooMany('Too many samples today: try again tomorrow'))
  await by.env.DELIVERIES.send({ reason: 'due' })
  return { sent_to: mail.to }
}
