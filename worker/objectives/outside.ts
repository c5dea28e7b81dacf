import { eq, lt } from 'drizzle-orm'
import { hashToken } from '../auth/keys'
import type { Db } from '../db/open'
import { plusDays, plusSeconds, toDay } from '../db/time'
import { markLook, statusDays, unseenSlots, type Look } from '../domain/service/objectives'
import type { Env } from '../env'
import { Failure, unauthenticated } from '../http/errors'
import { probeDays } from '../schema/jobs'

const shortestToken = 16
/** A probe keeps what it could not report for so long. */
const taken_s = 3 * 86_400
/** A clock elsewhere may be ahead by so much. */
const ahead_s = 60
const tries = 5

/** Only a probe that knows the operator's secret may report. */
export async function requireProbe({ PROBE_TOKEN = '' }: Env, token: string) {
  if (PROBE_TOKEN.length < shortestToken || (await hashToken(token)) !== (await hashToken(PROBE_TOKEN)))
    throw unauthenticated('Reports are taken with the PROBE_TOKEN of this installation', 'probe_token')
}

/** Sent twice, they count once. */
export async function noteLooks(db: Db, looks: Look[], now: Date) {
  const [from, to] = [plusSeconds(now, -taken_s), plusSeconds(now, ahead_s)].map((at) => at.getTime()) as [
    number,
    number,
  ]
  const taken = looks.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to)
  for (const [day, dayLooks] of Map.groupBy(taken, ({ at }) => toDay(new Date(at)))) await noteDay(db, day, dayLooks)
  await db.delete(probeDays).where(lt(probeDays.day, toDay(plusDays(now, -statusDays))))
  return { taken: taken.length }
}

/** Another report may come between reading and writing: then once more. */
async function noteDay(db: Db, day: string, looks: Look[]) {
  for (let left = tries; left > 0; left--) {
    const before = await db.select({ slots: probeDays.slots }).from(probeDays).where(eq(probeDays.day, day)).get()
    const slots = looks.reduce(markLook, before?.slots ?? unseenSlots)
    if (slots === before?.slots) return
    const written = await db
      .insert(probeDays)
      .values({ day, slots })
      .onConflictDoUpdate({ target: probeDays.day, set: { slots }, setWhere: eq(probeDays.slots, before?.slots ?? '') })
      .returning({ day: probeDays.day })
    if (written.length) return
  }
  throw new Failure(503, 'busy', 'Others report right now: try again in a moment', { headers: { 'retry-after': '2' } })
}
