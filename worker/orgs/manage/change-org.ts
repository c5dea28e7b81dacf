import { eq } from 'drizzle-orm'
import type * as z from 'zod'
import { getOrg } from '../../auth/queries'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { updateRows } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { invalid, refused } from '../../http/errors'
import type { createOrg as createOrgContract, setTrial as setTrialContract } from '../contract'
import { privateOrg } from '../first-admin'
import { invitationStatements } from '../joining/invite'
import type { By } from '../managed-orgs'
import { withNewOrg } from '../new-org'
import { untoldStatements } from './enabled-notice'
import { readyForAll, readyNew, readyTwice } from '../operator-log'
import { notRemoved } from '../leaving/leave'
import { removalStatements } from '../leaving/rows'
import { orgs } from '../../schema/orgs'

export async function setOrgActive(db: Db, org_id: number, is_active: boolean, by: By) {
  const [org, write] = await beside(getOrg(db, org_id), readyTwice(db, org_id, by))
  if (!is_active) requireExpendable(org, by)
  const update = updateRows(db, orgs, eq(orgs.id, org_id), { is_active })
  const mails = is_active && !org.is_active ? await untoldStatements(by.env, db, org_id, by.now) : []
  await write([update, ...mails], { action: is_active ? 'org.enable' : 'org.disable', target: org.name })
  if (is_active) await by.env.ALERTS.send({ reason: 'resumed', org_id })
}

/** The log of the operator keeps that it was removed. */
export async function removeOrgRows(db: Db, org_id: number, by: By) {
  const [org, write] = await beside(getOrg(db, org_id), readyForAll(db, by))
  requireExpendable(org, by)
  const entry = { action: 'org.remove' as const, target: org.name, detail: { org_id, slug: org.slug } }
  await write(removalStatements(db, org_id, by.now), entry)
}

type Org = { id: number; name: string; slug: string }
function requireExpendable({ id, name, slug }: Org, { actor }: By) {
  if (slug === privateOrg.slug) throw refused(409, 'kept', `${name} is the organization of the admins`)
  if (id === actor.org_id) throw refused(409, 'kept', `${name} is your current organization`)
}

type Creation = z.output<typeof createOrgContract.body & object>

/** The owner becomes its admin by accepting the invitation; until then nobody is a member. */
export async function insertOrg(db: Db, { name, is_active, email }: Creation, by: By) {
  const { actor, env, now } = by
  const log = await readyNew(db, by)
  const id = await withNewOrg(
    db,
    { name, is_active, trial_ends_at: null, owner_email: null, now },
    async ({ org_id, statements }) => {
      const inviter = { env, now, actor, name: log.name, as: 'owner' as const }
      const invitations = await invitationStatements(db, { id: org_id, name }, [email], inviter)
      const entry = { org_id, action: 'org.create' as const, target: name, detail: { owner: email, is_active } }
      await log.write([...statements, ...invitations], entry)
    },
  )
  await env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const, id }
}

type TrialChange = z.output<typeof setTrialContract.body & object>

/** Days count from the end of the trial, or from now when it is over. */
export async function updateTrial(db: Db, org_id: number, change: TrialChange, by: By) {
  const [org, write] = await beside(getOrg(db, org_id), readyTwice(db, org_id, by))
  if (org.trial_ends_at === null && 'days' in change)
    throw invalid([{ path: ['days'], message: 'The organization is not on trial' }])

  const now = stamp(by.now)
  if (!org.is_active && org.removal_at !== null && org.removal_at <= now)
    throw refused(409, 'leaving', `${org.name} is being removed`)
  const from = org.trial_ends_at !== null && org.trial_ends_at > now ? org.trial_ends_at : now
  const trial_ends_at = 'days' in change ? stamp(plusSeconds(new Date(from), change.days * 86_400)) : null
  const update = updateRows(db, orgs, eq(orgs.id, org_id), { trial_ends_at, trial_told: null, ...notRemoved })
  const action = 'days' in change ? ('trial.extend' as const) : ('trial.convert' as const)
  await write([update], { action, target: org.name, detail: { trial_ends_at } })
  await by.env.ALERTS.send({ reason: 'resumed', org_id })
  return { status: 'success' as const, trial_ends_at }
}
