import { and, eq, isNotNull } from 'drizzle-orm'
import type { Db } from '../db/open'
import { users } from '../schema/auth'
import { members, orgs } from '../schema/orgs'
import { queueMail, type Notice } from './outbox'

/** Readers of mail about the organization: its admins with a proved address, fifty at most. */
export const findAdmins = (db: Db, org_id: number) =>
  db
    .select({ user_id: users.id, to: users.email, org_name: orgs.name })
    .from(members)
    .innerJoin(users, eq(users.id, members.user_id))
    .innerJoin(orgs, eq(orgs.id, members.org_id))
    .where(
      and(
        eq(members.org_id, org_id),
        eq(members.is_admin, true),
        eq(members.is_active, true),
        eq(users.is_active, true),
        isNotNull(users.email_verified_at),
      ),
    )
    .limit(50)

type Admin = Awaited<ReturnType<typeof findAdmins>>[number]

export async function queueForAdmins(db: Db, org_id: number, write: (admin: Admin) => Promise<Notice>, now: Date) {
  const mails = await Promise.all((await findAdmins(db, org_id)).map(write))
  return mails.map((mail) => queueMail(db, { org_id, ...mail }, now))
}
