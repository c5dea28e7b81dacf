import { eq } from 'drizzle-orm'
import { audited } from '../../auth/audit'
import { disableUserStatements, removeUserStatements, unlessNeeded } from '../../auth/remove-user'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { notFound, refused } from '../../http/errors'
import { users } from '../../schema/auth'
import { getActorName } from '../managed-orgs'
import type { By } from '../managed-orgs'
import { findAlerted, findForgotten, unheardStatements } from '../unheard'

type Change = 'disable' | 'enable' | 'delete'

export async function changeAccount(db: Db, change: Change, user_id: number, by: By) {
  const { actor, now } = by
  const user = await db
    .select({ id: users.id, username: users.username, email: users.email })
    .from(users)
    .where(eq(users.id, user_id))
    .get()
  if (!user) throw notFound('User')
  if (user_id === actor.user_id) throw refused(403, 'forbidden', `You cannot ${change} yourself`)

  const statements = {
    disable: () => disableUserStatements(db, user_id, now),
    enable: () => [statement(db, db.update(users).set({ is_active: true }).where(eq(users.id, user_id)))],
    delete: () => removeUserStatements(db, user, now),
  }[change]()
  const gone = { enable: () => [], disable: () => findAlerted(db, user_id), delete: () => findForgotten(db, user_id) }
  const mails = await unheardStatements(by.env, db, await gone[change](), now)
  const entry = { org_id: actor.org_id, actor_id: actor.user_id, actor: await getActorName(db, actor) }
  await unlessNeeded(db, user_id, () =>
    audited(db, [...mails, ...statements], { ...entry, action: `user.${change}`, target: user.username }, by),
  )
  if (mails.length) await by.env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const }
}
