import { and, desc, eq, or, sql } from 'drizzle-orm'
import { isTaken, orRefuse, refuseBeyond } from '../../db/guard'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { sqlStatement, statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { forbidden } from '../../http/errors'
import { ssoIdentities, members } from '../../schema/orgs'
import { users } from '../../schema/auth'
import { audited, type Scene } from '../audit'
import { findSpelling } from '../spelling'
import { noPassword } from '../password/password'
import type { Person } from './person'

/** Of an organization on trial, whose provider would bring users without number. */
export const maxTrialMembers = 50

/** A stranger becomes a new user and a member without any rights. */
export async function admitMember(db: Db, org_id: number, named: Person, scene: Scene) {
  const person = { ...named, email: await findSpelling(db, named.email) }
  const known = await findKnown(db, org_id, person)
  if (known) return admitKnown(db, org_id, { known, person }, scene)
  try {
    return await createMember(db, org_id, person, scene)
  } catch (error) {
    if (!isTaken(error, 'users', 'sso_identities')) throw error
    // They came twice at once, or somebody else took the username.
    const other = await findKnown(db, org_id, person)
    return other ? admitKnown(db, org_id, { known: other, person }, scene) : createMember(db, org_id, person, scene)
  }
}

type Known = NonNullable<Awaited<ReturnType<typeof findKnown>>>

async function findKnown(db: Db, org_id: number, { subject, email }: Person) {
  const bySubject = sql`${users.id} = (SELECT user_id FROM sso_identities WHERE org_id = ${org_id} AND subject = ${subject})`
  return db
    .select({
      ...pick(users, 'id', 'username', 'is_active', 'is_admin'),
      is_member: sql<number>`${members.user_id} IS NOT NULL`,
      is_enabled: sql<number | null>`${members.is_active}`.as('is_enabled'),
      is_elsewhere: sql<number>`EXISTS (
        SELECT 1 FROM members e WHERE e.user_id = ${users.id} AND e.org_id <> ${org_id})`,
    })
    .from(users)
    .leftJoin(members, and(eq(members.user_id, users.id), eq(members.org_id, org_id)))
    .where(or(bySubject, eq(sql`lower(${users.email})`, email)))
    .orderBy(desc(bySubject))
    .limit(1)
    .get()
}

async function admitKnown(db: Db, org_id: number, { known, person }: { known: Known; person: Person }, scene: Scene) {
  refuseForeign(known)
  const { id, username } = known
  const link = db.insert(ssoIdentities).values({ org_id, subject: person.subject, user_id: id }).onConflictDoNothing()
  await audited(
    db,
    [statement(db, link)],
    { org_id, actor_id: id, actor: username, action: 'user.sso', target: username },
    scene,
  )
  return id
}

// An organization's own provider can say that anybody is signed in: so it opens only accounts that are its own alone.
function refuseForeign({ is_active, is_admin, is_member, is_enabled, is_elsewhere }: Known) {
  if (!is_member)
    throw forbidden('An account with this address exists outside of this organization: ask to be invited to it')
  if (!is_active || !is_enabled) throw forbidden('This account is disabled')
  if (is_admin || is_elsewhere)
    throw forbidden('This account reaches beyond this organization: sign in with its password or a passkey')
}

async function createMember(db: Db, org_id: number, { subject, email, first_name, last_name }: Person, scene: Scene) {
  const username = await freeUsername(db, email)
  const user = { username, email, first_name, last_name, password_hash: noPassword, created_at: stamp(scene.now) }
  const added = sql`FROM users WHERE lower(username) = ${username}`
  const [made] = await audited(
    db,
    [
      statement(db, db.insert(users).values(user).returning({ id: users.id })),
      sqlStatement(db)`INSERT INTO members(org_id, user_id, manage_metadata) SELECT ${org_id}, id, TRUE ${added}`,
      sqlStatement(db)`INSERT INTO sso_identities(org_id, subject, user_id) SELECT ${org_id}, ${subject}, id ${added}`,
      statement(
        db,
        refuseBeyond(
          sql`SELECT count(*) FROM members m JOIN orgs o ON o.id = m.org_id WHERE m.org_id = ${org_id} AND o.trial_ends_at IS NOT NULL`,
          maxTrialMembers,
        ),
      ),
    ],
    { org_id, actor_id: null, actor: username, action: 'user.sso', target: username, detail: { is_new: true } },
    scene,
  ).catch(orRefuse('quota', tooMany))
  const [row] = (made?.results ?? []) as { id: number }[]
  if (!row) throw new Error('The user was not written')
  return row.id
}

const tooMany = () =>
  forbidden(`An organization on trial has at most ${maxTrialMembers} members: ask one of its admins`)

/** A username of the address: anna.mueller@… is anna_mueller, or anna_mueller_2 when there is one. */
async function freeUsername(db: Db, email: string) {
  const local = email.slice(0, email.lastIndexOf('@'))
  const base = local
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 100)
    .padEnd(4, '_')
  const random = crypto.randomUUID().slice(0, 8)
  const candidates = [base, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${base}_${number}`), `${base}_${random}`]
  const [free] = await db.all<{ value: string }>(sql`
    SELECT c.value FROM json_each(${JSON.stringify(candidates)}) c
    WHERE NOT EXISTS (SELECT 1 FROM users WHERE lower(username) = c.value) ORDER BY c.key LIMIT 1`)
  return free?.value ?? `${base}_${random}`
}
