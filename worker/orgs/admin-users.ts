import { audited } from '../auth/audit'
import { disableUserStatements, removeUserStatements, unlessNeeded } from '../auth/remove-user'
import type { Db } from '../db/open'
import { notFound, refused } from '../http/errors'
import { getActorName } from './managed'
import type { By } from './managed'

type Change = 'disable' | 'enable' | 'delete'

export async function changeAccount(db: Db, change: Change, user_id: number, by: By) {
  const { actor, now } = by
  const user = await db.$client
    .prepare('SELECT id, username, email FROM users WHERE id = ?1')
    .bind(user_id)
    .first<{ id: number; username: string; email: string }>()
  if (!user) throw notFound('User')
  if (user_id === actor.user_id) throw refused(403, 'forbidden', `You cannot ${change} yourself`)

  const statements = {
    disable: () => disableUserStatements(db, user_id, now),
    enable: () => [db.$client.prepare('UPDATE users SET is_active = 1 WHERE id = ?1').bind(user_id)],
    delete: () => removeUserStatements(db, user),
  }[change]()
  const entry = { org_id: actor.org_id, actor_id: actor.user_id, actor: await getActorName(db, actor) }
  await unlessNeeded(db, user_id, () =>
    audited(db, statements, { ...entry, action: `user.${change}`, target: user.username }, by),
  )
  return { status: 'success' as const }
}
