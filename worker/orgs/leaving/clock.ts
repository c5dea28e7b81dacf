import { and, eq, inArray, isNotNull, isNull, lte, ne, sql } from 'drizzle-orm'
import { audited } from '../../auth/audit'
import { removeUserStatements, unlessNeeded } from '../../auth/remove-user'
import { eachApart } from '../../db/apart'
import { abortUnless, isAborted } from '../../db/guard'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { findTrialNews, restorableDays, isNewer, removalDays, type TrialNews } from '../../domain/alerts/trial-news'
import type { Env } from '../../env'
import { Failure } from '../../http/errors'
import { queueAllowed } from '../../mail/outbox'
import { users } from '../../schema/auth'
import { orgs } from '../../schema/orgs'
import { privateOrg } from '../first-admin'
import { findOperator } from '../operator-log'
import { findAdmins } from '../../mail/find-admins'
import { findForgotten, unheardStatements } from '../unheard'
import { trialNewsNotice } from './mails'
import { removalStatements, removeLargeTables } from './rows'

/** Trials that are told of something in a day; the others are the next. */
const maxTold = 200

/** Each news once: the mark and its mails are one batch. */
export async function tellTrials(env: Env, db: Db, now: Date) {
  const trials = await db
    .select({ id: orgs.id, name: orgs.name, ends_at: sql<string>`${orgs.trial_ends_at}`, told: orgs.trial_told })
    .from(orgs)
    .where(and(isNotNull(orgs.trial_ends_at), isNull(orgs.removal_at), ne(orgs.slug, privateOrg.slug)))
  const due = trials.flatMap((trial) => {
    const news = findTrialNews(trial.ends_at, now)
    return news && isNewer(news, trial.told) ? [{ ...trial, news }] : []
  })
  const told = due.slice(0, maxTold).map((trial) => ({ org_id: trial.id, ...trial }))
  try {
    return await eachApart(db, told, (trial) => tellTrial(env, db, trial, now))
  } finally {
    if (due.length) await env.DELIVERIES.send({ reason: 'due' })
  }
}

type Trial = { id: number; name: string; ends_at: string; told: TrialNews | null; news: TrialNews }

async function tellTrial(env: Env, db: Db, { id, name, ends_at, told, news }: Trial, now: Date) {
  const removal_at = stamp(plusSeconds(now, restorableDays * 86_400))
  const day = {
    week: ends_at,
    day: ends_at,
    end: stamp(plusSeconds(new Date(ends_at), removalDays.done * 86_400)),
    removal: removal_at,
  }[news].slice(0, 10)
  const mails = await Promise.all(
    (await findAdmins(db, id)).map(({ to }) => trialNewsNotice(env, { to, org_name: name, day, news })),
  )
  const update = db
    .update(orgs)
    .set({ trial_told: news, ...(news === 'removal' && { removal_at, removal_trial_end: ends_at }) })
    .where(eq(orgs.id, id))
  const isSame = sql`EXISTS (SELECT 1 FROM orgs
    WHERE id = ${id} AND trial_ends_at = ${ends_at} AND trial_told IS ${told} AND removal_at IS NULL)`
  const unlessChanged = statement(db, abortUnless(isSame, 'trial'))
  await db.$client
    .batch([
      unlessChanged,
      statement(db, update),
      ...mails.map((mail) => queueAllowed(db, { org_id: id, ...mail }, now)),
    ])
    .catch((error: unknown) => {
      // Somebody prolonged or ended it meanwhile, or told of it.
      if (!isAborted(error, 'trial')) throw error
    })
}

/** One organization a minute; a large one takes several, and goes on where it stopped: from its begin nobody keeps it. */
export async function removeLeft(env: Env, db: Db, now: Date) {
  const first = db
    .select({ id: orgs.id })
    .from(orgs)
    .where(lte(orgs.removal_at, stamp(now)))
    // In no order: one that fails again and again must not stand before the others.
    .orderBy(sql`random()`)
  const [org] = await db
    .update(orgs)
    .set({ is_active: false })
    .where(inArray(orgs.id, first.limit(1)))
    .returning({ id: orgs.id, user_id: orgs.removal_user_id })
  if (!org || !(await removeLargeTables(db, org.id))) return
  const entry = { org_id: await findOperator(db, { org_id: 0 }), actor_id: null, actor: 'Earshot' }
  const scene = { env, client: { ip: '', user_agent: '', network: null }, now }
  // The log of the operator keeps a number, not the name of who is gone.
  const detail = { org_id: org.id }
  await audited(
    db,
    removalStatements(db, org.id, now),
    { ...entry, action: 'org.remove', target: `${org.id}`, detail },
    scene,
  )
  if (org.user_id === null) return
  const [user] = await db.select({ id: users.id, email: users.email }).from(users).where(eq(users.id, org.user_id))
  if (!user) return
  const mails = await unheardStatements(env, db, await findForgotten(db, user.id), now)
  try {
    await unlessNeeded(db, user.id, () =>
      audited(
        db,
        [...mails, ...removeUserStatements(db, user, now)],
        { ...entry, action: 'user.delete', target: `${user.id}` },
        scene,
      ),
    )
  } catch (error) {
    // Somebody who administers another organization alone meanwhile keeps the account.
    if (!(error instanceof Failure)) throw error
  }
}
