import { and, lt, lte, ne, sql } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { mailAllowances } from '../schema/mail'

type Spend = {
  /** Who spends: `org 5`, `user 7`, `reset <hash of the address>`. */
  key: string
  count?: number
  limit: number
  /** Counts for ever, not for a day. */
  isTotal?: boolean
  /** The shortest time between two; none for bulk mail. */
  pause_s?: number
}

/** The statement after it sees by `changes() = 1` whether the mails fit. */
export function allowStatement(db: Db, { key, count = 1, limit, pause_s = 0 }: Spend, now: Date) {
  const { target, day, last_at, used } = counted(toDay(now), count, now)
  const isPaused = lte(mailAllowances.last_at, stamp(plusSeconds(now, -pause_s)))
  return statement(
    db,
    db
      .insert(mailAllowances)
      .values({ key, day, used: count, last_at })
      .onConflictDoUpdate({ target, set: { day, last_at, used }, setWhere: and(isPaused, lte(used, limit)) }),
  )
}

/** Makes its whole batch fail when there are too many mails: NULL breaks NOT NULL. */
export function spendStatement(db: Db, { key, count = 1, limit, isTotal = false }: Spend, now: Date) {
  const { target, day, last_at, used } = counted(isTotal ? '' : toDay(now), count, now)
  return statement(
    db,
    db
      .insert(mailAllowances)
      .values({ key, day, used: sql`iif(${count} <= ${limit}, ${count}, NULL)`, last_at })
      .onConflictDoUpdate({ target, set: { day, last_at, used: sql`iif(${used} <= ${limit}, ${used}, NULL)` } }),
  )
}

const counted = (day: string, count: number, now: Date) => ({
  target: mailAllowances.key,
  day,
  last_at: stamp(now),
  used: sql`iif(${mailAllowances.day} = ${day}, ${mailAllowances.used}, 0) + ${count}`,
})

export const isOverspent = (error: unknown) =>
  errorText(error).includes('NOT NULL constraint failed: mail_allowances.used')

export async function pruneAllowances(db: Db, now: Date) {
  await db.delete(mailAllowances).where(and(ne(mailAllowances.day, ''), lt(mailAllowances.day, toDay(now))))
}

const toDay = (now: Date) => stamp(now).slice(0, 10)
