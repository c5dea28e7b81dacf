import { and, eq, gte, notInArray } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { Env } from '../../env'
import { findAdmins } from '../../mail/find-admins'
import { notice } from '../../mail/notice'
import { queueMail } from '../../mail/outbox'
import { deliveries } from '../../schema/alerts'

/** Of mails that are given up in so many days, the first to an address is told. */
const toldDays = 30

type Unreached = { org_id: number; target: string; message: string; given_up: number[] }

/** No other sign of an address that takes no mail lasts while another one of its route does. */
export async function tellUnreached(env: Env, db: Db, { org_id, target, message, given_up }: Unreached, now: Date) {
  const since = stamp(plusSeconds(now, -toldDays * 86_400))
  const isGivenUp = and(eq(deliveries.status, 'dead'), gte(deliveries.next_attempt_at, since))
  const isSame = and(eq(deliveries.org_id, org_id), eq(deliveries.target, target))
  const earlier = db.select({ id: deliveries.id }).from(deliveries)
  if (await earlier.where(and(isGivenUp, isSame, notInArray(deliveries.id, given_up))).get()) return
  const admins = (await findAdmins(db, org_id)).filter(({ to }) => to.toLowerCase() !== target)
  const mails = await Promise.all(
    admins.map(({ to, org_name }) => unreachedNotice(env, { to, org_name, target, message })),
  )
  const [first, ...others] = mails.map((mail) => queueMail(db, mail, now))
  if (first) await db.$client.batch([first, ...others])
}

type Told = { to: string; org_name: string; target: string; message: string }

export const unreachedNotice = (env: Env, { to, org_name, target, message }: Told) =>
  notice({
    to,
    kind: 'alert_address_unreached',
    title: `${org_name}: alerts do not reach ${target}`,
    paragraphs: [
      'An alert to this address was refused, for good or over four days, and is given up.',
      `The last answer: ${message.slice(0, 300)}`,
      'Enter another address, or have the mailbox mended. What was given up stands as failed among the alerts, and can be sent again there.',
    ],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
    footer: `This was sent to ${to} because you administer ${org_name} on Earshot.`,
  })
