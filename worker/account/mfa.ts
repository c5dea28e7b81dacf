import { and, eq, sql } from 'drizzle-orm'
import * as z from 'zod'
import { beside } from '../db/beside'
import { abort, abortUnless, isAborted } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { Failure, refused } from '../http/errors'
import { queueNotice } from '../mail/within'
import { challenges, users } from '../schema/auth'
import { readyAuditBy } from '../auth/audited-by'
import type { AuditedWrite, By } from '../auth/audited-by'
import { isInTime, longestSeconds, removeChallenge } from '../auth/challenges'
import { hashToken, newToken } from '../auth/keys'
import { removeRecoveryCodes, newRecoveryCodes } from '../auth/second-factor/recovery'
import { securityNotice } from '../auth/security-notice'
import { requireSessionActor } from '../auth/session-actor'
import { newTotp, findTimeStep } from '../auth/second-factor/totp'
import { noPassword } from '../auth/password/password'
import { requireProof } from '../auth/proof'
import { getOwn, proveOwn } from './password'
import type { Own } from './password'

const Setup = z.object({ sealed: z.string(), verified_step: z.int().nullable() })

export async function beginTotp(db: Db, { env, actor, now }: By) {
  const { user_id } = actor
  const [, { username }] = await beside(requireProof(db, actor, now), getOwn(db, user_id))
  const { sealed, svg, secret } = await newTotp(env, username)
  await db.batch([
    db.delete(challenges).where(isOwn(user_id, 'totp')),
    db.insert(challenges).values({
      id: await hashToken(newToken()),
      kind: 'totp',
      user_id,
      data: JSON.stringify({ sealed, verified_step: null }),
      expires_at: stamp(plusSeconds(now, longestSeconds)),
    }),
  ])
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
  const { env, actor, now } = by
  const { user_id } = actor
  const read = Promise.all([getOwn(db, user_id), findSetup(db, user_id, now), readyAuditBy(db, by)])
  const [, [user, setup, write]] = await beside(requireProof(db, actor, now), read)
  if (user.mfa_enabled) throw onAlready()
  if (!setup || setup.verified_step === null) throw new Failure(403, 'code_needed', 'Verify a code first')
  const { codes, statements } = await newRecoveryCodes(db, user_id)
  // Of two who do it at once the codes of the first stay.
  const mfa_enabled = sql`CASE WHEN NOT ${users.mfa_enabled} THEN TRUE ELSE ${abort('second factor')} END`
  const notice = await securityNotice(env, {
    to: user.email,
    username: user.username,
    title: 'Your second factor was switched on',
    text: 'This account asks for a code of an authenticator app after the password now.',
  })
  const factor = { mfa_enabled, totp_secret: setup.sealed, totp_last_step: setup.verified_step }
  await write(
    [
      ...besides,
      statement(db, db.update(users).set(factor).where(eq(users.id, user_id))),
      ...statements,
      removeChallenge(db, setup.id),
      ...queueNotice(db, user_id, notice, now),
    ],
    { action: 'user.mfa_on', target: user.username },
  ).catch(orOnAlready)
  await env.DELIVERIES.send({ reason: 'due' })
  return codes
}

const onAlready = () => new Failure(409, 'mfa_on', 'The second factor is on already')

function orOnAlready(error: unknown): never {
  throw isAborted(error, 'second factor') ? onAlready() : error
}

const isOff = () => new Failure(409, 'mfa_off', 'Switch the second factor on first')

export async function renewCodes(db: Db, password: string | undefined, by: By) {
  const { env, now } = by
  const actor = requireSessionActor(by.actor)
  const { user_id } = actor
  const renew = async ({ username, email, mfa_enabled }: Own, right: D1PreparedStatement[], write: AuditedWrite) => {
    if (!mfa_enabled) throw isOff()
    const { codes, statements } = await newRecoveryCodes(db, user_id)
    const notice = await securityNotice(env, {
      to: email,
      username,
      title: 'Your recovery codes were made anew',
      text: 'The recovery codes of this account were replaced: the earlier ones are void.',
    })
    const isOn = sql`EXISTS (SELECT 1 FROM users WHERE id = ${user_id} AND mfa_enabled)`
    await write(
      [
        ...right,
        statement(db, abortUnless(isOn, 'second factor')),
        ...statements,
        ...queueNotice(db, user_id, notice, now),
      ],
      { action: 'user.mfa_codes', target: username },
    ).catch((error: unknown) => {
      if (!isAborted(error, 'second factor')) throw error
      throw isOff()
    })
    return codes
  }
  const ready = readyAuditBy(db, by)
  const renewProved = async () => {
    const [, [user, write]] = await beside(requireProof(db, actor, now), Promise.all([getOwn(db, user_id), ready]))
    return renew(user, [], write)
  }
  const made =
    password === undefined
      ? await renewProved()
      : await proveOwn(db, actor, { password, now, ready }, (user, right, write) => renew(user, [right], write))
  await env.DELIVERIES.send({ reason: 'due' })
  return made
}

export async function switchMfaOff(db: Db, besides: D1PreparedStatement[], by: By) {
  const { env, actor, now } = by
  const { user_id } = actor
  const read = Promise.all([getOwn(db, user_id), readyAuditBy(db, by)])
  const [, [user, write]] = await beside(requireProof(db, actor, now), read)
  const notice = await securityNotice(env, {
    to: user.email,
    username: user.username,
    title: 'Your second factor was switched off',
    text: `This account signs in with ${user.password_hash === noPassword ? 'its provider' : 'the password'} alone now.`,
  })
  await write(
    [
      ...besides,
      statement(db, db.update(users).set({ mfa_enabled: false, totp_secret: null }).where(eq(users.id, user_id))),
      removeRecoveryCodes(db, user_id),
      statement(db, db.delete(challenges).where(isOwn(user_id, 'mfa'))),
      ...queueNotice(db, user_id, notice, now),
    ],
    { action: 'user.mfa_off', target: user.username },
  )
  await env.DELIVERIES.send({ reason: 'due' })
}
