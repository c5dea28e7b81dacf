import { eq } from 'drizzle-orm'
import { readyAuditBy } from '../../auth/audited-by'
import { disableUserStatements, removeUserStatements, unlessNeeded } from '../../auth/remove-user'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { notFound, refused } from '../../http/errors'
import { users } from '../../schema/auth'
import type { By } from '../managed-orgs'
import { findAlerted, findForgotten, unheardStatements } from '../unheard'

type Change = 'disable' | 'enable' | 'delete'

export async function changeAccount(db: Db, change: Change, user_id: number, by: By) {
  const { actor, now } = by
  const gone = { enable: () => [], disable: () => findAlerted(db, user_id), delete: () => findForgotten(db, user_id) }
  const read = Promise.all([gone[change](), readyAuditBy(db, by)])
  const [user, [alerted, write]] = await beside(getUser(db, user_id), read)
  if (user_id === actor.user_id) throw refused(403, 'forbidden', `You cannot ${change} yourself`)

  const statements = {
    disable: () => disableUserStatements(db, user_id, now),
    enable: () => [statement(db, db.update(users).set({ is_active: true }).where(eq(users.id, user_id)))],
    delete: () => removeUserStatements(db, user, now),
  }[change]()
  const mails = await unheardStatements(by.env, db, alerted, now)
  await unlessNeeded(db, user_id, () =>
    write([...mails, ...statements], { action: `user.${change}`, target: user.username }),
  )
  if (mails.length) await by.env.DELIVERIES.send({ reason: 'due' })
}

async function getUser(db: Db, user_id: number) {
  const { id, username, email } = users
  const [user] = await db.select({ id, username, email }).from(users).where(eq(id, user_id))
  if (!user) throw notFound('User')
  return user
}
