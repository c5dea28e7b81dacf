import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { sqlStatement } from '../db/statement'
import { withAsciiDomain } from '../domain/people/mailbox'
import type { Env } from '../env'
import { Failure, unauthenticated } from '../http/errors'
import type { Client } from '../http/route'
import { newChallenge } from './challenges'
import { hashToken } from './keys'
import { verifyNothing, verifyPassword } from './password/password'
import { findFirstOrg, selectLogin, type LoginRow } from './queries'
import { openSession, refuseGone } from './sessions'
import { findSpelling } from './spelling'
import { beginTry, forget, giveBack, signInKeys, throttled, throttleKeys } from './throttle'

const wrong = () => unauthenticated('Wrong username or password', 'wrong_credentials')
const noOrg = () => new Failure(403, 'no_organization', 'You do not belong to an active organization')

type Given = { username: string; password: string; client: Client }

export async function signIn(env: Env, db: Db, { username, password, client }: Given, now: Date) {
  const typed = username.toLowerCase()
  const [who, account] = [selectLogin(await findSpelling(db, typed)), await hashToken(withAsciiDomain(typed))]
  const user_id = sql`(SELECT id FROM (${who}))`
  const [attempt, [user]] = await Promise.all([
    beginTry(db, signInKeys(account, client), now, { user_id, ip: client.ip }),
    db.all<LoginRow>(who),
  ])
  if (attempt.isStopped) throw throttled(attempt)

  const isRight = await isPassword(password, user?.password_hash)
  // Others may block an account, but not for whoever signed in or read a mailed link here before. Elsewhere the answer
  // does not tell a right password from a wrong one.
  if (attempt.isAccountBlocked && !attempt.isKnownPlace) throw throttled(attempt)
  if (!user?.is_active || !isRight) throw wrong()

  const org_id = user.first_org_id
  if (org_id === null) throw noOrg()
  const release = giveBack(db, attempt, now)
  if (user.mfa_enabled) return oweSecondFactor(db, { user_id: user.id, org_id, besides: [release] }, now)
  const besides = [release, forget(db, [throttleKeys.pair(account, client)])]
  return openSession(env, db, { user_id: user.id, org_id, client, by: 'password', besides }, now)
}

async function isPassword(password: string, stored: string | undefined) {
  if (stored !== undefined) return verifyPassword(password, stored)
  await verifyNothing(password)
  return false
}

export async function requireFirstOrg(db: Db, user_id: number) {
  const org = await findFirstOrg(db, user_id)
  if (!org) throw noOrg()
  return org
}

type Owing = { user_id: number; org_id: number; besides: D1PreparedStatement[] }

async function oweSecondFactor(db: Db, { user_id, org_id, besides }: Owing, now: Date) {
  const { token, statements } = await newChallenge(db, { kind: 'mfa', user_id, data: { org_id } }, now)
  const counted = sqlStatement(db)`SELECT (SELECT count(*) FROM passkeys WHERE user_id = ${user_id}) AS passkeys,
      (SELECT count(*) FROM recovery_codes WHERE user_id = ${user_id} AND used_at IS NULL) AS codes`
  const batch = db.$client.batch<{ codes: number; passkeys: number }>([counted, ...statements, ...besides])
  const results = await batch.catch(refuseGone)
  const { codes = 0, passkeys = 0 } = results[0]?.results[0] ?? {}
  const methods = [
    'totp' as const,
    ...(codes > 0 ? (['recovery'] as const) : []),
    ...(passkeys > 0 ? (['passkey'] as const) : []),
  ]
  return { token, methods }
}
