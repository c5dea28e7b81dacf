import { z } from 'zod'
import { hashToken, newToken } from '../auth/keys'
import { beginTry, requestKeys, throttled } from '../auth/throttle'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { RequestScope } from '../http/route'
import { allowStatement } from '../mail/allowance'
import { queueAllowed } from '../mail/outbox'
import { audited } from '../auth/audit'
import { accountExistsNotice, trialNotice } from './mails'
import { withNewOrg } from './new-org'
import { findJoinLink, linkInvalid, register, registrationStatements } from './registration'
import type { RegistrationInput } from './registration'

export const trialDays = 14
const linkHours = 48
/** To one address: a link asked for again keeps the one of before. */
const [mailsPerDay, mailPause_s] = [5, 600]
const TrialData = z.object({ org_name: z.string() })

type Outside = Pick<RequestScope, 'env' | 'client' | 'now'>
type Wish = { email: string; org_name: string }

/** Answer and work are the same for a known address, because only its owner may learn that it is known. */
export async function requestTrial(db: Db, { email, org_name }: Wish, { env, client, now }: Outside) {
  const attempt = await beginTry(db, requestKeys(client), now)
  if (attempt.isStopped) throw throttled(attempt)

  const token = newToken()
  const known = await db.$client
    .prepare('SELECT username FROM users WHERE lower(email) = ?1')
    .bind(email)
    .first<{ username: string }>()
  const [begin, exists] = [
    await trialNotice(env, { to: email, token, hours: linkHours }),
    await accountExistsNotice(env, { to: email, username: known?.username ?? '' }),
  ]
  await db.$client.batch([
    allowStatement(db, { key: `trial ${await hashToken(email)}`, limit: mailsPerDay, pause_s: mailPause_s }, now),
    db.$client
      .prepare(
        `INSERT INTO links(token_hash, kind, email, data, created_at, expires_at, used_at)
         SELECT ?1, 'trial', ?2, ?3, ?4, ?5, CASE WHEN ?6 THEN ?4 END WHERE changes() = 1`,
      )
      .bind(
        await hashToken(token),
        email,
        JSON.stringify({ org_name }),
        stamp(now),
        stamp(plusSeconds(now, linkHours * 3600)),
        Number(known !== null),
      ),
    queueAllowed(db, known ? exists : begin, now),
  ])
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
        const membership = db.$client
          .prepare('INSERT INTO members(org_id, user_id, is_admin) SELECT ?1, id, 1 FROM users WHERE lower(email) = ?2')
          .bind(org_id, email)
        const voidOthers = db.$client
          .prepare("UPDATE links SET used_at = ?2 WHERE email = ?1 AND kind = 'trial' AND used_at IS NULL")
          .bind(email, stamp(now))
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
