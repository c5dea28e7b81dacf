import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { forbidden } from '../http/errors'
import { audited } from './audit'
import type { Scene } from './audit'
import { noPassword } from './password'
import type { Person } from './sso-person'

/** A stranger becomes a new user and a member without any rights. */
export async function admitMember(db: Db, org_id: number, person: Person, scene: Scene) {
  const known = await findKnown(db, org_id, person)
  if (known) return admitKnown(db, org_id, { known, person }, scene)
  try {
    return await createMember(db, org_id, person, scene)
  } catch (error) {
    if (!isTaken(error)) throw error
    // They came twice at once, or somebody else took the username.
    const other = await findKnown(db, org_id, person)
    return other ? admitKnown(db, org_id, { known: other, person }, scene) : createMember(db, org_id, person, scene)
  }
}

type Known = {
  id: number
  username: string
  is_active: number
  is_admin: number
  is_member: number
  is_enabled: number
  is_elsewhere: number
}

async function findKnown(db: Db, org_id: number, { subject, email }: Person) {
  const bySubject = 'u.id = (SELECT user_id FROM sso_identities WHERE org_id = ?1 AND subject = ?2)'
  const found = await db.$client
    .prepare(
      `SELECT u.id, u.username, u.is_active, u.is_admin, m.user_id IS NOT NULL AS is_member, m.is_active = 1 AS is_enabled,
         EXISTS (SELECT 1 FROM members e WHERE e.user_id = u.id AND e.org_id <> ?1) AS is_elsewhere
       FROM users u LEFT JOIN members m ON m.user_id = u.id AND m.org_id = ?1
       WHERE ${bySubject} OR lower(u.email) = ?3 ORDER BY ${bySubject} DESC LIMIT 1`,
    )
    .bind(org_id, subject, email)
    .first<Known>()
  return found ?? undefined
}

async function admitKnown(db: Db, org_id: number, { known, person }: { known: Known; person: Person }, scene: Scene) {
  refuseForeign(known)
  const link = db.$client
    .prepare('INSERT INTO sso_identities(org_id, subject, user_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING')
    .bind(org_id, person.subject, known.id)
  const { id, username } = known
  await audited(db, [link], { org_id, actor_id: id, actor: username, action: 'user.sso', target: username }, scene)
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
  const at = stamp(scene.now)
  const prepare = (sql: string, ...values: unknown[]) => db.$client.prepare(sql).bind(...values)
  const [made] = await audited(
    db,
    [
      prepare(
        `INSERT INTO users(username, email, first_name, last_name, password_hash, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id`,
        username,
        email,
        first_name,
        last_name,
        noPassword,
        at,
      ),
      prepare('INSERT INTO members(org_id, user_id) SELECT ?1, id FROM users WHERE username = ?2', org_id, username),
      prepare(
        'INSERT INTO sso_identities(org_id, subject, user_id) SELECT ?1, ?2, id FROM users WHERE username = ?3',
        org_id,
        subject,
        username,
      ),
    ],
    { org_id, actor_id: null, actor: username, action: 'user.sso', target: username, detail: { is_new: true } },
    scene,
  )
  const [row] = (made?.results ?? []) as { id: number }[]
  if (!row) throw new Error('The user was not written')
  return row.id
}

/** A username of the address: anna.mueller@… is anna_mueller, or anna_mueller_2 when there is one. */
async function freeUsername(db: Db, email: string) {
  const local = email.slice(0, email.lastIndexOf('@'))
  const base = local
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 100)
    .padEnd(4, '_')
  const random = crypto.randomUUID().slice(0, 8)
  const candidates = [base, ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${base}_${number}`), `${base}_${random}`]
  const free = await db.$client
    .prepare(
      `SELECT c.value FROM json_each(?1) c WHERE NOT EXISTS (SELECT 1 FROM users WHERE lower(username) = c.value)
       ORDER BY c.key LIMIT 1`,
    )
    .bind(JSON.stringify(candidates))
    .first<string>('value')
  return free ?? `${base}_${random}`
}

const isTaken = (error: unknown) =>
  error instanceof Error && /UNIQUE constraint failed: (index 'users_by|users|sso_identities)/.test(error.message)
