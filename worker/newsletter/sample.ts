import { eq, sql } from 'drizzle-orm'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { plusDays, toDay } from '../db/time'
import { Failure } from '../http/errors'
import { isOverspent, spendStatement } from '../mail/allowance'
import { queueMail } from '../mail/outbox'
import { subscribers } from '../schema/alerts'
import { users } from '../schema/auth'
import { findMattering } from './issue'
import { issueMail } from './mails'
import { newsletterToken } from './newsletter'

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
    .catch((error: unknown) => {
      if (!isOverspent(error)) throw error
      throw new Failure(429, 'quota', 'Too many samples today: try again tomorrow')
    })
  await by.env.DELIVERIES.send({ reason: 'due' })
  return { sent_to: mail.to }
}
