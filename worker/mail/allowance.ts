import { and, gt, lt, lte, ne, or, sql } from 'drizzle-orm'
import { abort, isAborted } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { latest, plusSeconds, stamp, toDay } from '../db/time'
import { toSite } from '../http/client-address'
import { Failure } from '../http/errors'
import { mailAllowances } from '../schema/mail'

type Spend = {
  /** Spender: `org 5`, `user 7`, `reset <hash of the address>`. */
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
  const pause = [
    lte(mailAllowances.last_at, stamp(plusSeconds(now, -pause_s))),
    gt(mailAllowances.last_at, latest(now)),
  ]
  return statement(
    db,
    db
      .insert(mailAllowances)
      .values({ key, day, used: count, last_at })
      .onConflictDoUpdate({ target, set: { day, last_at, used }, setWhere: and(or(...pause), lte(used, limit)) }),
  )
}

const tooMany = abort('allowance')

/** Undoes its whole batch when there are too many mails. */
export function spendStatement(db: Db, { key, count = 1, limit, isTotal = false }: Spend, now: Date) {
  const { target, day, last_at, used } = counted(isTotal ? '' : toDay(now), count, now)
  return statement(
    db,
    db
      .insert(mailAllowances)
      .values({ key, day, used: sql`iif(${count} <= ${limit}, ${count}, ${tooMany})`, last_at })
      .onConflictDoUpdate({ target, set: { day, last_at, used: sql`iif(${used} <= ${limit}, ${used}, ${tooMany})` } }),
  )
}

export const perHour = { paid: 300, trial: 10 }
export const trialPerDay = 20

type Organization = { id: number; trial_ends_at: string | null }

/** One ceiling for all mails to strangers that an organization causes by its forms, whoever fills them in and from where. */
export function spendOfOrg(db: Db, { id, trial_ends_at }: Organization, count: number, now: Date) {
  const plan = trial_ends_at === null ? 'paid' : 'trial'
  const hour = { key: `${plan} ${toHour(now)} of ${id}`, count, limit: perHour[plan] }
  const day = { key: `trial mails of ${id}`, count, limit: trialPerDay }
  return [hour, ...(plan === 'trial' ? [day] : [])].map((spend) => spendStatement(db, spend, now))
}

/** Ends the key of mails to one mailbox: no stranger on trial uses up what another organization may send there. */
export const apartFor = ({ id, trial_ends_at }: Organization) => (trial_ends_at === null ? ` of ${id}` : '')

/** Of public forms, whoever fills them in and from where: it also holds where the client's address is not known. */
export const formsPerHour = { reset: 300, trial: 60, newsletter: 120 }
export type MailForm = keyof typeof formsPerHour

/** Of all of them those of one site: a single stranger keeps nobody else from a form. */
const siteShare = 0.25

/** Counts what the `allowStatement` before it let pass, and makes its whole batch fail when that is too much. */
export function spendOfForm(db: Db, form: MailForm, ip: string, now: Date) {
  const [key, limit] = [`form ${form} ${toHour(now)}`, formsPerHour[form]]
  const ofSite = { key: `${key} from ${toSite(ip)}`, limit: limit * siteShare }
  const { day, last_at, used } = counted(toDay(now), 1, now)
  return [{ key, limit }, ...(ip ? [ofSite] : [])].map((spend) =>
    statement(
      db,
      sql`INSERT INTO mail_allowances(key, day, used, last_at) SELECT ${spend.key}, ${day}, 1, ${last_at} WHERE changes() = 1
        ON CONFLICT DO UPDATE SET day = ${day}, last_at = ${last_at}, used = iif(${used} <= ${spend.limit}, ${used}, ${tooMany})`,
    ),
  )
}

/** For a batch that spends what a person may send by a click. */
export const orTooMany =
  (message: string) =>
  (error: unknown): never => {
    throw isOverspent(error) ? new Failure(429, 'quota', message) : error
  }

export function orTooManyMails(error: unknown): never {
  if (!isOverspent(error)) throw error
  throw new Failure(429, 'quota', 'Too many people asked for such a mail in this hour: try again in the next one', {
    headers: { 'retry-after': '3600' },
  })
}

const counted = (day: string, count: number, now: Date) => ({
  target: mailAllowances.key,
  day,
  last_at: stamp(now),
  used: sql`iif(${mailAllowances.day} = ${day}, ${mailAllowances.used}, 0) + ${count}`,
})

export const isOverspent = (error: unknown) => isAborted(error, 'allowance')

export const oldAllowances = (now: Date) => ({
  table: mailAllowances,
  key: [mailAllowances.key],
  isOld: and(ne(mailAllowances.day, ''), lt(mailAllowances.day, toDay(now))),
})

const toHour = (now: Date) => stamp(now).slice(0, 13)
