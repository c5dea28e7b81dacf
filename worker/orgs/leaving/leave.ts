import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { getActorName, readyAuditBy, type By } from '../../auth/audited-by'
import { requireProof } from '../../auth/proof'
import { getOrg } from '../../auth/queries'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { restorableDays } from '../../domain/alerts/trial-news'
import { invalid, refused } from '../../http/errors'
import { orTooMany, spendStatement } from '../../mail/allowance'
import { queueAllowed } from '../../mail/outbox'
import { orgs } from '../../schema/orgs'
import { privateOrg } from '../first-admin'
import { removalNotice } from './mails'
import { findAdmins } from '../../mail/find-admins'

/** All its admins are told each time. */
const wishesPerDay = 5

export const notRemoved = { removal_at: null, removal_trial_end: null, removal_user_id: null }

type Wish = { name: string; with_account: boolean }

/** It pauses as after a trial; the clock removes it when the grace is over. */
export async function askRemoval(db: Db, { name, with_account }: Wish, by: By) {
  const { org_id, user_id } = by.actor
  const read = Promise.all([
    getOrg(db, org_id),
    findAdmins(db, org_id),
    getActorName(db, by.actor),
    readyAuditBy(db, by),
  ])
  const [, [org, admins, name_of_asker, write]] = await beside(requireProof(db, by.actor, by.now), read)
  if (org.slug === privateOrg.slug) throw refused(409, 'kept', `${org.name} is the organization of the admins`)
  if (org.removal_at) throw refused(409, 'leaving', `${org.name} is removed on ${org.removal_at.slice(0, 10)} already`)
  if (name !== org.name.trim())
    throw invalid([{ path: ['name'], message: `Type the name as it stands there: ${org.name}` }])
  const removal_at = stamp(plusSeconds(by.now, restorableDays * 86_400))
  const paused = stamp(plusSeconds(by.now, -1))
  const update = db
    .update(orgs)
    .set({
      removal_at,
      removal_trial_end: org.trial_ends_at,
      removal_user_id: with_account ? user_id : null,
      trial_ends_at: org.trial_ends_at !== null && org.trial_ends_at < paused ? org.trial_ends_at : paused,
    })
    .where(and(eq(orgs.id, org_id), isNull(orgs.removal_at)))
  const about = { org_name: org.name, day: removal_at.slice(0, 10), by: name_of_asker }
  const mails = await Promise.all(admins.map(({ to }) => removalNotice(by.env, { to, ...about })))
  const spend = spendStatement(db, { key: `removals of ${org_id}`, limit: wishesPerDay }, by.now)
  await write([spend, statement(db, update), ...mails.map((mail) => queueAllowed(db, { org_id, ...mail }, by.now))], {
    action: 'org.leave',
    target: org.name,
    detail: { removal_at, with_account },
  }).catch(orTooMany('Its removal was asked for too often today: try again tomorrow'))
  await by.env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const, removal_at }
}

/** A trial that is long over is announced anew. */
export async function keepOrg(db: Db, by: By) {
  const { org_id } = by.actor
  const [org, write] = await beside(getOrg(db, org_id), readyAuditBy(db, by))
  if (!org.removal_at) throw refused(409, 'kept', `${org.name} is not to be removed`)
  const update = db
    .update(orgs)
    .set({
      trial_ends_at: org.removal_trial_end,
      trial_told: org.trial_told === 'removal' ? 'end' : org.trial_told,
      ...notRemoved,
    })
    .where(and(eq(orgs.id, org_id), isNotNull(orgs.removal_at), orgs.is_active))
  await write([statement(db, update)], { action: 'org.keep', target: org.name })
  await by.env.ALERTS.send({ reason: 'resumed', org_id })
}
