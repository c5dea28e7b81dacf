import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm'
import { readyAuditBy } from '../../auth/audited-by'
import { isSameMailbox, mayBeSame } from '../../auth/spelling'
import { beside } from '../../db/beside'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import type { Actor } from '../../domain/people/access'
import { notFound } from '../../http/errors'
import { links, users } from '../../schema/auth'
import { orgs } from '../../schema/orgs'
import { readInvitation } from './invitation'
import { getManagedOrg, type By } from '../managed-orgs'
import { isNewLink } from './registration'

const told = pick(links, 'id', 'data', 'created_at', 'expires_at')

/** Only for a proved mailbox; a provider's session hears of no other organization. */
export async function findMyInvitations(db: Db, { user_id, is_bound }: Actor, now: Date) {
  if (is_bound) return []
  const listed = await db
    .select({
      ...told,
      org_name: orgs.name,
      sent_to: sql<string>`${links.email}`.as('sent_to'),
      email: sql<string>`lower(${users.email})`.as('email'),
    })
    .from(users)
    .innerJoin(links, and(mayBeSame(links.email, users.email), isNewLink('invitation', now)))
    .innerJoin(orgs, and(eq(orgs.id, links.org_id), eq(orgs.is_active, true)))
    .where(and(eq(users.id, user_id), isNotNull(users.email_verified_at)))
    .orderBy(desc(links.id))
  return listed
    .filter(isSameMailbox)
    .map(({ data, ...invitation }) => ({ ...invitation, invited_by: readInvitation(data).by }))
}

/** Tells the address, and nothing else about its owner. */
export async function findPending(db: Db, org_id: number, by: By) {
  const find = db
    .select({ ...told, email: links.email })
    .from(links)
    .where(and(eq(links.org_id, org_id), isNewLink('invitation', by.now)))
    .orderBy(asc(links.email), asc(links.id))
  const [, pending] = await beside(getManagedOrg(db, org_id, 'manage', { ...by, isChange: false }), find)
  return pending.map(({ data, ...invitation }) => ({ ...invitation, is_owner: readInvitation(data).as === 'owner' }))
}

export async function withdrawInvitation(db: Db, invitation: { org_id: number; id: number }, by: By) {
  const { org_id } = invitation
  const [found, write] = await beside(findPending(db, org_id, by), readyAuditBy(db, by, org_id))
  const pending = found.find(({ id }) => id === invitation.id)
  if (!pending) throw notFound('Invitation')
  const withdraw = db
    .update(links)
    .set({ used_at: stamp(by.now) })
    .where(and(eq(links.id, invitation.id), eq(links.org_id, org_id)))
  await write([statement(db, withdraw)], { action: 'member.uninvite', target: pending.email })
}
