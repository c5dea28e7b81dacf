import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { and, eq, lt } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { Env } from '../../env'
import { Failure, unauthenticated } from '../../http/errors'
import type { Client } from '../../http/route'
import { passkeys, users } from '../../schema/auth'
import { challengeGone, findChallenge, newChallenge, removeChallenge, takeChallenge } from '../challenges'
import { base64url, fromBase64url } from '../keys'
import { MfaData } from './second-factor'
import { openSession } from '../sessions'
import { requireFirstOrg } from '../sign-in'
import { forget, removeWaits, throttleKeys } from '../throttle'
import { Asserted, Challenged, readCredential, relyingParty, userHandle, verified } from './webauthn'

const refused = () => unauthenticated('This passkey was not accepted', 'passkey_refused')

export async function passkeyLoginCeremony(env: Env, db: Db, eph_token: string | undefined, now: Date) {
  const owed = eph_token === undefined ? undefined : await findOwed(db, eph_token, now)
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(env).rpID,
    userVerification: 'required',
    ...(owed && { allowCredentials: owed.credentials }),
  })
  const data = { challenge: options.challenge, org_id: owed?.org_id, mfa_id: owed?.id }
  const kind = 'passkey_login' as const
  const { token, statements } = await newChallenge(db, { kind, user_id: owed?.user_id ?? null, data }, now)
  await db.$client.batch(statements)
  return { challenge_id: token, options: { ...options } }
}

export async function passkeyProofCeremony(env: Env, db: Db, user_id: number, now: Date) {
  const allowCredentials = await getCredentials(db, user_id)
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(env).rpID,
    userVerification: 'required',
    allowCredentials,
  })
  const data = { challenge: options.challenge }
  const { token, statements } = await newChallenge(db, { kind: 'passkey_proof', user_id, data }, now)
  await db.$client.batch(statements)
  return { challenge_id: token, options: { ...options } }
}

type Proof = { user_id: number; challenge_id: string; response: unknown }

export async function requirePasskey(env: Env, db: Db, { user_id, challenge_id, response }: Proof, now: Date) {
  const credential = readCredential(Asserted, response)
  const passkey = await findPasskey(db, credential.id)
  const begun = await takeChallenge(db, 'passkey_proof', challenge_id, now)
  if (!begun || begun.user_id !== user_id || passkey?.user_id !== user_id) throw notProved()
  const { challenge } = Challenged.parse(JSON.parse(begun.data))
  const counter = await verifyAssertion(env, { credential, passkey, challenge })
  if (counter === null || !(await advance(db, { id: passkey.id, counter }, now))) throw notProved()
}

// Not 401: the session is as good as before.
const notProved = () => new Failure(403, 'passkey_refused', 'This passkey was not accepted')

async function findOwed(db: Db, eph_token: string, now: Date) {
  const owed = await findChallenge(db, 'mfa', eph_token, now)
  if (!owed?.user_id) throw challengeGone()
  const credentials = await getCredentials(db, owed.user_id)
  const { org_id } = MfaData.parse(JSON.parse(owed.data))
  return { id: owed.id, user_id: owed.user_id, org_id, credentials }
}

export const findCredentials = async (db: Db, user_id: number) =>
  db.select({ id: passkeys.credential_id }).from(passkeys).where(eq(passkeys.user_id, user_id))

async function getCredentials(db: Db, user_id: number) {
  const credentials = await findCredentials(db, user_id)
  if (!credentials.length) throw new Failure(400, 'no_passkey', 'There is no passkey for this account')
  return credentials
}

type Given = { challenge_id: string; response: unknown; client: Client }

/** A passkey is two factors, the device and the finger or PIN that unlocks it, so no code is asked for. */
export async function passkeySignIn(env: Env, db: Db, { challenge_id, response, client }: Given, now: Date) {
  const credential = readCredential(Asserted, response)
  const begun = await takeChallenge(db, 'passkey_login', challenge_id, now)
  if (!begun) throw challengeGone()
  const { challenge, org_id, mfa_id } = Challenged.parse(JSON.parse(begun.data))
  const passkey = await findPasskey(db, credential.id)
  if (!passkey || (begun.user_id !== null && begun.user_id !== passkey.user_id)) throw refused()

  const counter = await verifyAssertion(env, { credential, passkey, challenge })
  if (counter === null || !(await advance(db, { id: passkey.id, counter }, now))) throw refused()

  const besides = [
    ...(await removeWaits(db, passkey.user_id)),
    forget(db, [throttleKeys.pair(`${passkey.user_id}`, client)]),
    ...(mfa_id === undefined ? [] : [removeChallenge(db, mfa_id)]),
  ]
  const org = org_id ?? (await requireFirstOrg(db, passkey.user_id)).id
  return openSession(env, db, { user_id: passkey.user_id, org_id: org, client, by: 'passkey', besides }, now)
}

type Passkey = { id: number; credential_id: string; user_id: number; public_key: string; counter: number }

const findPasskey = async (db: Db, credential_id: string): Promise<Passkey | undefined> =>
  db
    .select({
      id: passkeys.id,
      credential_id: passkeys.credential_id,
      user_id: passkeys.user_id,
      public_key: passkeys.public_key,
      counter: passkeys.counter,
    })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.user_id))
    .where(and(eq(passkeys.credential_id, credential_id), eq(users.is_active, true)))
    .get()

type Assertion = { credential: z.output<typeof Asserted>; passkey: Passkey; challenge: string }

/** The counter of the authenticator, or null when anything about its answer is wrong. */
async function verifyAssertion(env: Env, { credential, passkey, challenge }: Assertion) {
  const { rpID, origin } = relyingParty(env)
  const { userHandle: handle, ...signed } = credential.response
  if (handle && handle !== base64url(userHandle(passkey.user_id))) return null
  const result = await verified(() =>
    verifyAuthenticationResponse({
      response: { ...credential, response: signed },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: fromBase64url(passkey.public_key),
        counter: passkey.counter,
      },
    }),
  )
  return result?.authenticationInfo.newCounter ?? null
}

/** Only forward: an authenticator that counts and was copied shows by a number seen before. */
const advance = async (db: Db, { id, counter }: { id: number; counter: number }, now: Date) =>
  db
    .update(passkeys)
    .set({ counter, last_used_at: stamp(now) })
    .where(and(eq(passkeys.id, id), counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter)))
    .returning({ id: passkeys.id })
    .get()
