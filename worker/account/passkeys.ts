import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server'
import { and, eq, sql } from 'drizzle-orm'
import { beside } from '../db/beside'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { Failure, notFound } from '../http/errors'
import { queueNotice } from '../mail/within'
import { passkeys } from '../schema/auth'
import { readyAuditBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import { newChallenge, takeChallenge } from '../auth/challenges'
import { base64url } from '../auth/keys'
import { findCredentials } from '../auth/second-factor/passkeys'
import { requireProof } from '../auth/proof'
import { securityNotice } from '../auth/security-notice'
import { Challenged, Created, readCredential, relyingParty, userHandle, verified } from '../auth/second-factor/webauthn'
import { getOwn } from './password'

export const maxPasskeys = 20

type Row = { id: number; name: string; created_at: string; last_used_at: string | null }
const columns = {
  id: passkeys.id,
  name: passkeys.name,
  created_at: passkeys.created_at,
  last_used_at: passkeys.last_used_at,
}
const isOwn = (user_id: number, id: number) => and(eq(passkeys.id, id), eq(passkeys.user_id, user_id))

export const findPasskeys = async (db: Db, user_id: number) =>
  db.select(columns).from(passkeys).where(eq(passkeys.user_id, user_id)).orderBy(passkeys.id)

export async function passkeyCeremony(db: Db, { env, actor, now }: By) {
  const { user_id } = actor
  const read = Promise.all([getOwn(db, user_id), findCredentials(db, user_id)])
  const [, [user, excludeCredentials]] = await beside(requireProof(db, actor, now), read)
  const options = await generateRegistrationOptions({
    rpName: 'Earshot',
    rpID: relyingParty(env).rpID,
    userName: user.username,
    userDisplayName: user.username,
    userID: userHandle(user_id),
    attestationType: 'none',
    excludeCredentials,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const data = { challenge: options.challenge }
  const { token, statements } = await newChallenge(db, { kind: 'passkey_create', user_id, data }, now)
  await db.$client.batch(statements)
  return { challenge_id: token, options: { ...options } }
}

const refused = () => new Failure(400, 'passkey_refused', 'This passkey was not accepted')

type Given = { challenge_id: string; name: string; response: unknown }

export async function savePasskey(db: Db, { challenge_id, name, response }: Given, by: By) {
  const { env, actor, now } = by
  const { user_id } = actor
  const read = Promise.all([getOwn(db, user_id), readyAuditBy(db, by)])
  const [, [user, write]] = await beside(requireProof(db, actor, now), read)
  const created = readCredential(Created, response)
  const begun = await takeChallenge(db, 'passkey_create', challenge_id, now)
  if (!begun || begun.user_id !== user_id) throw refused()
  const { rpID, origin } = relyingParty(env)
  const result = await verified(() =>
    verifyRegistrationResponse({
      response: created,
      expectedChallenge: Challenged.parse(JSON.parse(begun.data)).challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
    }),
  )
  if (!result?.registrationInfo) throw refused()
  const { credential } = result.registrationInfo
  const notice = await securityNotice(env, {
    to: user.email,
    username: user.username,
    title: 'A passkey was added',
    text: `This account can be signed in to with the passkey "${name}" now.`,
  })
  const passkey = {
    credential_id: credential.id,
    user_id,
    public_key: base64url(credential.publicKey),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports ?? []),
    name,
    created_at: stamp(now),
  }
  const statements = [
    statement(db, db.insert(passkeys).values(passkey).onConflictDoNothing().returning(columns)),
    ...queueNotice(db, user_id, notice, now),
    statement(db, refuseBeyond(sql`SELECT count(*) FROM passkeys WHERE user_id = ${user_id}`, maxPasskeys)),
  ]
  const [inserted] = await write(statements, { action: 'passkey.add', target: name }).catch(orTooMany)
  const [row] = (inserted?.results ?? []) as Row[]
  if (!row) throw refused()
  await env.DELIVERIES.send({ reason: 'due' })
  return row
}

function orTooMany(error: unknown): never {
  if (!isAborted(error, 'quota')) throw error
  throw new Failure(409, 'quota', `You have ${maxPasskeys} passkeys: remove one first`)
}

export async function renameOwnPasskey(db: Db, user_id: number, { id, name }: { id: number; name: string }) {
  const row = await db.update(passkeys).set({ name }).where(isOwn(user_id, id)).returning(columns).get()
  if (!row) throw notFound('Passkey')
  return row
}

export async function removeOwnPasskey(db: Db, id: number, by: By) {
  const { env, actor, now } = by
  const find = db.select({ name: passkeys.name }).from(passkeys).where(isOwn(actor.user_id, id)).get()
  const read = Promise.all([find, getOwn(db, actor.user_id), readyAuditBy(db, by)])
  const [, [row, user, write]] = await beside(requireProof(db, actor, now), read)
  if (!row) throw notFound('Passkey')
  const notice = await securityNotice(env, {
    to: user.email,
    username: user.username,
    title: 'A passkey was removed',
    text: `The passkey "${row.name}" does not sign in to this account any more.`,
  })
  await write(
    [statement(db, db.delete(passkeys).where(isOwn(actor.user_id, id))), ...queueNotice(db, user.id, notice, now)],
    {
      action: 'passkey.remove',
      target: row.name,
    },
  )
  await env.DELIVERIES.send({ reason: 'due' })
}
