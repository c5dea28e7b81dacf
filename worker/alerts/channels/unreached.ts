import { and, eq, gte, notInArray, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusDays, stamp } from '../../db/time'
import type { Env } from '../../env'
import { findAdmins } from '../../mail/find-admins'
import { notice } from '../../mail/notice'
import { queueMail, type GivenUp } from '../../mail/outbox'
import { deliveries } from '../../schema/alerts'
import { mayReceive } from '../recipients'

/** Of mails that are given up in so many days, the first to an address is told. */
const toldDays = 30

type Unreached = { org_id: number; target: string; message: string; given_up: number[] }
const firstDay = (now: Date) => stamp(plusDays(now, -toldDays))

/** No other sign of an address that takes no mail lasts while another one of its route does. */
export async function tellUnreached(env: Env, db: Db, { given_up, ...told }: Unreached, now: Date) {
  if (!(await isGivenUp(db, told, now, given_up))) await tellAdmins(env, db, { ...told, what: 'alerts' }, now)
}

async function isGivenUp(
  db: Db,
  { org_id, target }: Pick<Unreached, 'org_id' | 'target'>,
  now: Date,
  but: number[] = [],
) {
  const isDead = and(eq(deliveries.status, 'dead'), gte(deliveries.next_attempt_at, firstDay(now)))
  const isSame = and(eq(deliveries.org_id, org_id), eq(deliveries.target, target))
  const found = db.select({ id: deliveries.id }).from(deliveries)
  return (await found.where(and(isDead, isSame, notInArray(deliveries.id, but))).get()) !== undefined
}

export async function tellUnreachedByReport(env: Env, db: Db, mail: GivenUp, now: Date) {
  const { id, org_id, to: target, kind, message } = mail
  if (org_id === null || !kind.startsWith('report_')) return
  const isEarlier = sql`org_id = ${org_id} AND "to" = ${target} AND kind LIKE 'report%' AND status = 'dead' AND next_attempt_at >= ${firstDay(now)} AND id <> ${id}`
  const [sender] = await db.all(sql`
    SELECT 1 FROM alert_settings s JOIN orgs o ON o.id = s.org_id AND o.is_active = 1
    WHERE s.org_id = ${org_id} AND (s.daily_report OR s.weekly_report OR s.monthly_report) AND NOT EXISTS (SELECT 1 FROM mails WHERE ${isEarlier})
      AND EXISTS (SELECT 1 FROM json_each(s.alerts_emails) e WHERE lower(e.value) = ${target} AND ${mayReceive})`)
  if (sender && !(await isGivenUp(db, { org_id, target }, now)))
    await tellAdmins(env, db, { org_id, target, message, what: 'reports' }, now)
}

type Telling = Omit<Told, 'to' | 'org_name'> & { org_id: number }

async function tellAdmins(env: Env, db: Db, { org_id, ...told }: Telling, now: Date) {
  const admins = (await findAdmins(db, org_id)).filter(({ to }) => to.toLowerCase() !== told.target)
  const mails = await Promise.all(admins.map(({ to, org_name }) => unreachedNotice(env, { to, org_name, ...told })))
  const [first, ...others] = mails.map((mail) => queueMail(db, { org_id, ...mail }, now))
  if (first) await db.$client.batch([first, ...others])
}

type Told = { to: string; org_name: string; target: string; message: string; what: 'alerts' | 'reports' }

export const unreachedNotice = (env: Env, { to, org_name, target, message, what }: Told) =>
  notice({
    to,
    kind: 'alert_address_unreached',
    title: `${org_name}: ${what} do not reach ${target}`,
    paragraphs: [
      `${what === 'alerts' ? 'An alert' : 'A report'} to this address was refused, for good or over four days, and is given up.`,
      `The last answer: ${message.slice(0, 300)}`,
      `Enter another address, or have the mailbox mended. ${what === 'alerts' ? 'Messages given up stand as failed among the alerts, and can be sent again there.' : 'All reports can be read on Earshot.'}`,
    ],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
    footer: `This was sent to ${to} because you administer ${org_name} on Earshot.`,
  })
