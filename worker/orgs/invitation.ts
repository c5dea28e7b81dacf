import type { Db } from '../db/open'
import type { Scope } from '../http/route'
import { audited } from '../auth/audit'
import { findJoinLink, linkInvalid, register, registrationStatements } from './registration'
import type { Registration } from './registration'

/** An invitation stands as long as its organization does. */
export async function findInvitation(db: Db, token: string, now: Date) {
  const link = await findJoinLink(db, 'invitation', token, now)
  const org = await db.$client
    .prepare('SELECT id FROM orgs WHERE id = ?1 AND is_active = 1')
    .bind(link?.org_id ?? 0)
    .first<{ id: number }>()
  return link && org ? { ...link, org_id: org.id } : null
}

/** Makes the user and his membership, nothing else; whoever was invited as the owner becomes the admin. */
export async function acceptInvitation(
  db: Db,
  token: string,
  registration: Registration,
  { client, now }: Pick<Scope, 'client' | 'now'>,
) {
  const link = await findInvitation(db, token, now)
  if (!link) throw linkInvalid()
  const { org_id, email } = link
  const isOwner = (JSON.parse(link.data) as { as?: string }).as === 'owner'
  const statements = [
    ...(await registrationStatements(db, link, registration, now)),
    db.$client
      .prepare('INSERT INTO members(org_id, user_id, is_admin) SELECT ?1, id, ?3 FROM users WHERE lower(email) = ?2')
      .bind(org_id, email, Number(isOwner)),
    ...(isOwner
      ? [
          db.$client
            .prepare('UPDATE orgs SET owner_id = (SELECT id FROM users WHERE lower(email) = ?2) WHERE id = ?1')
            .bind(org_id, email),
        ]
      : []),
  ]
  const { username } = registration
  const entry = { org_id, actor_id: null, actor: username, action: 'member.join', target: username, detail: { email } }
  await register(() => audited(db, statements, entry, { client, now }))
}
