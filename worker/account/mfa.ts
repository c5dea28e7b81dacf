import { z } from 'zod'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Env } from '../env'
import { Failure, refused } from '../http/errors'
import type { Client } from '../http/route'
import { queueMail } from '../mail/outbox'
import { audited } from '../auth/audit'
import { removeChallenge } from '../auth/challenges'
import { hashToken, newToken } from '../auth/keys'
import { dropRecoveryCodes, newRecoveryCodes } from '../auth/recovery'
import { securityNotice } from '../auth/security-notice'
import type { SignedIn } from '../auth/signed-in'
import { newTotp, findTimeStep } from '../auth/totp'
import { requireProof } from '../auth/proof'
import { findOwn } from './password'

const setupMinutes = 15
const Setup = z.object({ sealed: z.string(), verified_step: z.int().nullable() })

export async function beginTotp(env: Env, db: Db, { user_id }: SignedIn, now: Date) {
  const { username } = await findOwn(db, user_id)
  const { sealed, svg, secret } = await newTotp(env, username)
  await db.$client.batch([
    db.$client.prepare("DELETE FROM challenges WHERE user_id = ?1 AND kind = 'totp'").bind(user_id),
    db.$client
      .prepare("INSERT INTO challenges(id, kind, user_id, data, expires_at) VALUES (?1, 'totp', ?2, ?3, ?4)")
      .bind(
        await hashToken(newToken()),
        user_id,
        JSON.stringify({ sealed, verified_step: null }),
        stamp(plusSeconds(now, setupMinutes * 60)),
      ),
  ])
  return { svg, secret }
}

export async function verifySetup(env: Env, db: Db, { user_id, otp }: { user_id: number; otp: string }, now: Date) {
  const setup = await findSetup(db, user_id, now)
  const step = setup ? await findTimeStep(env, setup.sealed, otp, now) : null
  if (!setup || step === null) throw refused(400, 'wrong_code', 'OTP Incorrect')
  await db.$client
    .prepare('UPDATE challenges SET data = ?2 WHERE id = ?1')
    .bind(setup.id, JSON.stringify({ sealed: setup.sealed, verified_step: step }))
    .run()
  return { status: 'success' as const }
}

async function findSetup(db: Db, user_id: number, now: Date) {
  const begun = await db.$client
    .prepare("SELECT id, data FROM challenges WHERE user_id = ?1 AND kind = 'totp' AND expires_at > ?2")
    .bind(user_id, stamp(now))
    .first<{ id: string; data: string }>()
  return begun && { id: begun.id, ...Setup.parse(JSON.parse(begun.data)) }
}

type Given = { actor: SignedIn; client: Client; besides: D1PreparedStatement[] }

export async function switchMfaOn(env: Env, db: Db, { actor, client, besides }: Given, now: Date) {
  const { user_id, org_id } = await requireProof(db, actor, now)
  const [user, setup] = [await findOwn(db, user_id), await findSetup(db, user_id, now)]
  if (user.mfa_enabled) throw new Failure(409, 'mfa_on', 'The second factor is on already')
  if (!setup || setup.verified_step === null) throw new Failure(403, 'code_needed', 'Verify a code first')
  const { codes, statements } = await newRecoveryCodes(db, user_id)
  await audited(
    db,
    [
      ...besides,
      db.$client
        .prepare('UPDATE users SET mfa_enabled = 1, totp_secret = ?2, totp_last_step = ?3 WHERE id = ?1')
        .bind(user_id, setup.sealed, setup.verified_step),
      ...statements,
      removeChallenge(db, setup.id),
    ],
    { org_id, actor_id: user_id, actor: user.username, action: 'user.mfa_on', target: user.username },
    { env, client, now },
  )
  return codes
}

export async function switchMfaOff(env: Env, db: Db, { actor, client, besides }: Given, now: Date) {
  const { user_id, org_id } = await requireProof(db, actor, now)
  const user = await findOwn(db, user_id)
  const notice = await securityNotice(env, {
    to: user.email,
    username: user.username,
    title: 'Your second factor was switched off',
    text: 'This account signs in with the password alone now.',
  })
  await audited(
    db,
    [
      ...besides,
      db.$client.prepare('UPDATE users SET mfa_enabled = 0, totp_secret = NULL WHERE id = ?1').bind(user_id),
      dropRecoveryCodes(db, user_id),
      db.$client.prepare("DELETE FROM challenges WHERE user_id = ?1 AND kind = 'mfa'").bind(user_id),
      queueMail(db, notice, now),
    ],
    { org_id, actor_id: user_id, actor: user.username, action: 'user.mfa_off', target: user.username },
    { env, client, now },
  )
  await env.DELIVERIES.send({ reason: 'due' })
}
