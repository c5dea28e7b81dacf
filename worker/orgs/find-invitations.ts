import { audited } from '../auth/audit'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Actor } from '../domain/access'
import { notFound } from '../http/errors'
import { readInvitation } from './invitation'
import { getActorName, getManagedOrg } from './managed'
import type { By } from './managed'

const stands = "l.kind = 'invitation' AND l.used_at IS NULL AND l.expires_at > ?2"

type Listed = { id: number; org_name: string; data: string; created_at: string; expires_at: string }

/** Only for a proved mailbox; a provider's session hears of no other organization. */
export async function findMyInvitations(db: Db, { user_id, is_bound }: Actor, now: Date) {
  if (is_bound) return []
  const { results } = await db.$client
    .prepare(
      `SELECT l.id, o.name AS org_name, l.data, l.created_at, l.expires_at FROM users u
       JOIN links l ON l.email = lower(u.email) AND ${stands} JOIN orgs o ON o.id = l.org_id AND o.is_active = 1
       WHERE u.id = ?1 AND u.email_verified_at IS NOT NULL ORDER BY l.id DESC`,
    )
    .bind(user_id, stamp(now))
    .all<Listed>()
  return results.map(({ data, ...invitation }) => ({ ...invitation, invited_by: readInvitation(data).by }))
}

type Pending = { id: number; email: string; data: string; created_at: string; expires_at: string }

/** Tells the address, and nothing else about its owner. */
export async function findPending(db: Db, org_id: number, by: By) {
  await getManagedOrg(db, org_id, 'manage', by)
  const { results } = await db.$client
    .prepare(
      `SELECT l.id, l.email, l.data, l.created_at, l.expires_at FROM links l WHERE l.org_id = ?1 AND ${stands}
       ORDER BY l.email, l.id`,
    )
    .bind(org_id, stamp(by.now))
    .all<Pending>()
  return results.map(({ data, ...invitation }) => ({ ...invitation, is_owner: readInvitation(data).as === 'owner' }))
}

export async function withdrawInvitation(db: Db, { org_id, id }: { org_id: number; id: number }, by: By) {
  const org = await getManagedOrg(db, org_id, 'manage', by)
  const pending = (await findPending(db, org.id, by)).find((one) => one.id === id)
  if (!pending) throw notFound('Invitation')
  const withdraw = db.$client
    .prepare('UPDATE links SET used_at = ?3 WHERE id = ?1 AND org_id = ?2')
    .bind(id, org.id, stamp(by.now))
  const actor = await getActorName(db, by.actor)
  const entry = { org_id, actor_id: by.actor.user_id, actor, action: 'member.uninvite' as const, target: pending.email }
  await audited(db, [withdraw], entry, by)
}
