import { and, eq, isNull, sql } from 'drizzle-orm'
import * as z from 'zod'
import { hashToken, newToken } from '../../auth/keys'
import { findSpelling } from '../../auth/spelling'
import { beginTry, requestKeys, throttled } from '../../auth/throttle'
import type { Db } from '../../db/open'
import { sqlStatement, updateRows } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { mailboxName } from '../../domain/people/mailbox'
import type { RequestScope } from '../../http/route'
import { allowStatement, orTooManyMails, spendOfForm } from '../../mail/allowance'
import { queueAllowed } from '../../mail/outbox'
import { audited } from '../../auth/audit'
import { links, users } from '../../schema/auth'
import { accountExistsNotice, trialNotice } from '../mails'
import { withNewOrg } from '../new-org'
import { findJoinLink, linkInvalid, register, registrationStatements, type RegistrationInput } from './registration'

export const trialDays = 14
const linkHours = 48
/** To one address: a link asked for again keeps the one of before. */
const [mailsPerDay, mailPause_s] = [5, 600]
const TrialData = z.object({ org_name: z.string() })

type Outside = Pick<RequestScope, 'env' | 'client' | 'now'>
type Wish = { email: string; org_name: string }

/** Answer and work are the same for a known address, because only its owner may learn that it is known. */
export async function requestTrial(db: Db, { email: typed, org_name }: Wish, { env, client, now }: Outside) {
  const email = await findSpelling(db, typed)
  const isTheirs = eq(sql`lower(${users.email})`, email)
  const [attempt, known] = await Promise.all([
    beginTry(db, requestKeys(client), now),
    db.select({ username: users.username }).from(users).where(isTheirs).get(),
  ])
  if (attempt.isStopped) throw throttled(attempt)

  const token = newToken()
  const [begin, exists] = [
    await trialNotice(env, { to: email, token, hours: linkHours }),
    await accountExistsNotice(env, { to: email, username: known?.username ?? '' }),
  ]
  const [created_at, expires_at] = [stamp(now), stamp(plusSeconds(now, linkHours * 3600))]
  const statements = [
    allowStatement(
      db,
      { key: `trial ${await hashToken(mailboxName(email))}`, limit: mailsPerDay, pause_s: mailPause_s },
      now,
    ),
    ...spendOfForm(db, 'trial', client.ip, now),
    sqlStatement(db)`INSERT INTO links(token_hash, kind, email, data, created_at, expires_at, used_at)
        SELECT ${await hashToken(token)}, 'trial', ${email}, ${JSON.stringify({ org_name })}, ${created_at},
          ${expires_at}, ${known ? created_at : null}
        WHERE changes() = 1`,
    queueAllowed(db, { org_id: null, ...(known ? exists : begin) }, now),
  ]
  await db.$client.batch(statements).catch(orTooManyMails)
  await env.DELIVERIES.send({ reason: 'due' })
}

export async function findTrial(db: Db, token: string, now: Date) {
  const link = await findJoinLink(db, 'trial', token, now)
  return link && { ...link, ...TrialData.parse(JSON.parse(link.data)) }
}

export async function openTrial(db: Db, token: string, registration: RegistrationInput, { env, client, now }: Outside) {
  const link = await findTrial(db, token, now)
  if (!link) throw linkInvalid()
  const { email, org_name: name } = link
  const trial_ends_at = stamp(plusSeconds(now, trialDays * 86_400))
  const user = await registrationStatements(db, link, registration, now)

  await register(() =>
    withNewOrg(
      db,
      { name, is_active: true, trial_ends_at, owner_email: email, now },
      async ({ org_id, statements }) => {
        const membership = sqlStatement(db)`INSERT INTO members(org_id, user_id, is_admin, manage_metadata)
            SELECT ${org_id}, id, TRUE, TRUE FROM users WHERE lower(email) = ${email}`
        const voidOthers = updateRows(
          db,
          links,
          and(eq(links.email, email), eq(links.kind, 'trial'), isNull(links.used_at)),
          { used_at: stamp(now) },
        )
        const entry = {
          org_id,
          actor_id: null,
          actor: registration.username,
          action: 'trial.start' as const,
          target: name,
        }
        const detail = { email, trial_ends_at }
        await audited(db, [...user, ...statements, membership, voidOthers], { ...entry, detail }, { env, client, now })
      },
    ),
  )
}
