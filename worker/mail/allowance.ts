import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'

type Spend = {
  /** Who spends: `org 5`, `user 7`, `reset <hash of the address>`. */
  key: string
  count?: number
  limit: number
  /** Counts for ever, not for a day. */
  isTotal?: boolean
  /** Seconds between two; none for what is asked for in bulk. */
  pause_s?: number
}

/** The statement after it sees by `changes() = 1` whether the mails fit. */
export const allowStatement = (db: Db, { key, count = 1, limit, pause_s = 0 }: Spend, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO mail_allowances(key, day, used, last_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT(key) DO UPDATE SET used = iif(day = ?2, used, 0) + ?3, day = ?2, last_at = ?4
       WHERE last_at <= ?6 AND iif(day = ?2, used, 0) + ?3 <= ?5`,
    )
    .bind(key, toDay(now), count, stamp(now), limit, stamp(plusSeconds(now, -pause_s)))

/** Undoes its batch when there are too many: NULL breaks NOT NULL. */
export const spendStatement = (db: Db, { key, count = 1, limit, isTotal = false }: Spend, now: Date) =>
  db.$client
    .prepare(
      `INSERT INTO mail_allowances(key, day, used, last_at) VALUES (?1, ?2, iif(?3 <= ?5, ?3, NULL), ?4)
       ON CONFLICT(key) DO UPDATE SET day = ?2, last_at = ?4,
         used = iif(iif(day = ?2, used, 0) + ?3 <= ?5, iif(day = ?2, used, 0) + ?3, NULL)`,
    )
    .bind(key, isTotal ? '' : toDay(now), count, stamp(now), limit)

export const isOverspent = (error: unknown) =>
  error instanceof Error && error.message.includes('NOT NULL constraint failed: mail_allowances.used')

export const forgetAllowances = (db: Db, now: Date) =>
  db.$client.prepare("DELETE FROM mail_allowances WHERE day <> '' AND day < ?1").bind(toDay(now)).run()

const toDay = (now: Date) => stamp(now).slice(0, 10)
