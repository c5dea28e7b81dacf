import { and, eq, sql } from 'drizzle-orm'
import * as z from 'zod'
import { beside } from '../db/beside'
import { abort, abortUnless, orRefuse } from '../db/guard'
import type { Db } from '../db/open'
import { deleteRows, statement, updateRows } from '../db/statement'
import type { Env } from '../env'
import { Failure, refused } from '../http/errors'
import { challenges, users } from '../schema/auth'
import { readyAuditBy, type AuditedWrite, type By } from '../auth/audited-by'
import { isInTime, longestSeconds, newChallenge, removeChallenge } from '../auth/challenges'
import { removeRecoveryCodes, newRecoveryCodes } from '../auth/second-factor/recovery'
import { requireSessionActor, requireProof } from '../auth/proof'
import { newTotp, findTimeStep } from '../auth/second-factor/totp'
import { noPassword } from '../auth/password/password'
import { getOwn, proveOwn, readProved, telling, type Own } from './password'

const Setup = z.object({ sealed: z.string(), verified_step: z.int().nullable() })

export async function beginTotp(db: Db, { env, actor, now }: By) {
  const { user_id } = actor
  const [, { username }] = await beside(requireProof(db, actor, now), getOwn(db, user_id))
  const { sealed, svg, secret } = await newTotp(env, username)
  const setup = { kind: 'totp' as const, user_id, data: { sealed, verified_step: null }, seconds: longestSeconds }
  const { statements } = await newChallenge(db, setup, now)
  await db.$client.batch([deleteRows(db, challenges, isOwn(user_id, 'totp')), ...statements])
  return { svg, secret }
}

const isOwn = (user_id: number, kind: 'totp' | 'mfa') => and(eq(challenges.user_id, user_id), eq(challenges.kind, kind))

export async function verifySetup(env: Env, db: Db, { user_id, otp }: { user_id: number; otp: string }, now: Date) {
  const setup = await findSetup(db, user_id, now)
  const step = setup ? await findTimeStep(env, setup.sealed, otp, now) : null
  if (!setup || step === null) throw refused(400, 'wrong_code', 'OTP Incorrect')
  const data = JSON.stringify({ sealed: setup.sealed, verified_step: step })
  await db.update(challenges).set({ data }).where(eq(challenges.id, setup.id))
}

async function findSetup(db: Db, user_id: number, now: Date) {
  const begun = await db
    .select({ id: challenges.id, data: challenges.data })
    .from(challenges)
    .where(and(isOwn(user_id, 'totp'), isInTime(now)))
    .get()
  return begun && { id: begun.id, ...Setup.parse(JSON.parse(begun.data)) }
}

export async function switchMfaOn(db: Db, besides: D1PreparedStatement[], by: By) {
  const { user_id } = by.actor
  const { user, found: setup, tell } = await readProved(db, by, findSetup(db, user_id, by.now))
  if (user.mfa_enabled) throw onAlready()
  if (!setup || setup.verified_step === null) throw new Failure(403, 'code_needed', 'Verify a code first')
  const { codes, statements } = await newRecoveryCodes(db, user_id)
  // Of two who do it at once the codes of the first stay.
  const mfa_enabled = sql`CASE WHEN NOT ${users.mfa_enabled} THEN TRUE ELSE ${abort('second factor')} END`
  const factor = { mfa_enabled, totp_secret: setup.sealed, totp_last_step: setup.verified_step }
  const switchOn = updateRows(db, users, eq(users.id, user_id), factor)
  await tell([...besides, switchOn, ...statements, removeChallenge(db, setup.id)], {
    action: 'user.mfa_on',
    target: user.username,
    title: 'Your second factor was switched on',
    text: 'This account asks for a code of an authenticator app after the password now.',
  }).catch(orRefuse('second factor', onAlready))
  return codes
}

const onAlready = () => new Failure(409, 'mfa_on', 'The second factor is on already')

const isOff = () => new Failure(409, 'mfa_off', 'Switch the second factor on first')

export async function renewCodes(db: Db, password: string | undefined, by: By) {
  const { now } = by
  const actor = requireSessionActor(by.actor)
  const { user_id } = actor
  const renew = async (user: Own, right: D1PreparedStatement[], write: AuditedWrite) => {
    if (!user.mfa_enabled) throw isOff()
    const { codes, statements } = await newRecoveryCodes(db, user_id)
    const isOn = sql`EXISTS (SELECT 1 FROM users WHERE id = ${user_id} AND mfa_enabled)`
    const unlessOff = statement(db, abortUnless(isOn, 'second factor'))
    await telling(
      db,
      by,
      user,
      write,
    )([...right, unlessOff, ...statements], {
      action: 'user.mfa_codes',
      target: user.username,
      title: 'Your recovery codes were made anew',
      text: 'The recovery codes of this account were replaced: the earlier ones are void.',
    }).catch(orRefuse('second factor', isOff))
    return codes
  }
  if (password === undefined) {
    const { user, write } = await readProved(db, by, Promise.resolve())
    return renew(user, [], write)
  }
  const ready = readyAuditBy(db, by)
  return proveOwn(db, actor, { password, now, ready }, (user, right, write) => renew(user, [right], write))
}

export async function switchMfaOff(db: Db, besides: D1PreparedStatement[], by: By) {
  const { user_id } = by.actor
  const { user, tell } = await readProved(db, by, Promise.resolve())
  const statements = [
    ...besides,
    updateRows(db, users, eq(users.id, user_id), { mfa_enabled: false, totp_secret: null }),
    removeRecoveryCodes(db, user_id),
    deleteRows(db, challenges, isOwn(user_id, 'mfa')),
  ]
  await tell(statements, {
    action: 'user.mfa_off',
    target: user.username,
    title: 'Your second factor was switched off',
    text: `This account signs in with ${user.password_hash === noPassword ? 'its provider' : 'the password'} alone now.`,
  })
}
