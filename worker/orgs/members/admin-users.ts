import { eq } from 'drizzle-orm'
import { readyAuditBy } from '../../auth/audited-by'
import { disableUserStatements, removeUserStatements, unlessNeeded } from '../../auth/remove-user'
import { beside } from '../../db/beside'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { updateRows } from '../../db/statement'
import { getFirst, refused } from '../../http/errors'
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
    enable: () => [updateRows(db, users, eq(users.id, user_id), { is_active: true })],
    delete: () => removeUserStatements(db, user, now),
  }[change]()
  const mails = await unheardStatements(by.env, db, alerted, now)
  await unlessNeeded(db, user_id, () =>
    write([...mails, ...statements], { action: `user.${change}`, target: user.username }),
  )
  if (mails.length) await by.env.DELIVERIES.send({ reason: 'due' })
}

const getUser = (db: Db, user_id: number) =>
  getFirst(
    db
      .select(pick(users, 'id', 'username', 'email'))
      .from(users)
      .where(eq(users.id, user_id)),
    'User',
  )
