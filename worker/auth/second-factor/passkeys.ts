import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { and, eq, lt } from 'drizzle-orm'
import type * as z from 'zod'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { Env } from '../../env'
import { Failure, unauthenticated } from '../../http/errors'
import type { Client } from '../../http/route'
import { passkeys, users } from '../../schema/auth'
import { challengeGone, findChallenge, removeChallenge, takeChallenge } from '../challenges'
import { base64url, fromBase64url } from '../keys'
import { MfaData } from './second-factor'
import { openSession } from '../sessions'
import { requireFirstOrg } from '../sign-in'
import { forget, removeWaits, throttleKeys } from '../throttle'
import * as webauthn from './webauthn'

const refused = () => unauthenticated('This passkey was not accepted', 'passkey_refused')

const askPasskey = (env: Env, allowCredentials?: Awaited<ReturnType<typeof getCredentials>>) =>
  generateAuthenticationOptions({
    rpID: webauthn.relyingParty(env),
    userVerification: 'required',
    ...(allowCredentials && { allowCredentials }),
  })

export async function passkeyLoginCeremony(env: Env, db: Db, eph_token: string | undefined, now: Date) {
  const owed = eph_token === undefined ? undefined : await findOwed(db, eph_token, now)
  const options = await askPasskey(env, owed?.credentials)
  const data = { org_id: owed?.org_id, mfa_id: owed?.id }
  return webauthn.beginCeremony(db, { kind: 'passkey_login', user_id: owed?.user_id ?? null, options, data }, now)
}

export async function passkeyProofCeremony(env: Env, db: Db, user_id: number, now: Date) {
  const options = await askPasskey(env, await getCredentials(db, user_id))
  return webauthn.beginCeremony(db, { kind: 'passkey_proof', user_id, options }, now)
}

type Proof = { user_id: number; challenge_id: string; response: unknown }

export async function requirePasskey(env: Env, db: Db, { user_id, challenge_id, response }: Proof, now: Date) {
  const credential = webauthn.readCredential(webauthn.Asserted, response)
  const passkey = await findPasskey(db, credential.id)
  const begun = await takeChallenge(db, 'passkey_proof', challenge_id, now)
  if (!begun || begun.user_id !== user_id || passkey?.user_id !== user_id) throw notProved()
  const { challenge } = webauthn.Challenged.parse(JSON.parse(begun.data))
  if (!(await isAsserted(env, db, { credential, passkey, challenge }, now))) throw notProved()
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
  const credential = webauthn.readCredential(webauthn.Asserted, response)
  const begun = await takeChallenge(db, 'passkey_login', challenge_id, now)
  if (!begun) throw challengeGone()
  const { challenge, org_id, mfa_id } = webauthn.Challenged.parse(JSON.parse(begun.data))
  const passkey = await findPasskey(db, credential.id)
  if (!passkey || (begun.user_id !== null && begun.user_id !== passkey.user_id)) throw refused()

  if (!(await isAsserted(env, db, { credential, passkey, challenge }, now))) throw refused()

  const besides = [
    ...(await removeWaits(db, passkey.user_id)),
    forget(db, [throttleKeys.pair(`${passkey.user_id}`, client)]),
    ...(mfa_id === undefined ? [] : [removeChallenge(db, mfa_id)]),
  ]
  const org = org_id ?? (await requireFirstOrg(db, passkey.user_id)).id
  return openSession(env, db, { user_id: passkey.user_id, org_id: org, client, by: 'passkey', besides }, now)
}

const findPasskey = async (db: Db, credential_id: string) =>
  db
    .select(pick(passkeys, 'id', 'credential_id', 'user_id', 'public_key', 'counter'))
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.user_id))
    .where(and(eq(passkeys.credential_id, credential_id), eq(users.is_active, true)))
    .get()

type Passkey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>
type Assertion = { credential: z.output<typeof webauthn.Asserted>; passkey: Passkey; challenge: string }

async function isAsserted(env: Env, db: Db, { credential, passkey, challenge }: Assertion, now: Date) {
  const { id, user_id, public_key, credential_id, counter } = passkey
  const { userHandle: handle, ...signed } = credential.response
  if (handle && handle !== base64url(webauthn.userHandle(user_id))) return false
  const result = await webauthn.verified(() =>
    verifyAuthenticationResponse({
      ...webauthn.toExpected(env, challenge),
      response: { ...credential, response: signed },
      credential: { id: credential_id, publicKey: fromBase64url(public_key), counter },
    }),
  )
  return result !== null && advance(db, { id, counter: result.authenticationInfo.newCounter }, now)
}

/** Only forward: an authenticator that counts and was copied shows by a number seen before. */
async function advance(db: Db, { id, counter }: { id: number; counter: number }, now: Date) {
  const advanced = await db
    .update(passkeys)
    .set({ counter, last_used_at: stamp(now) })
    .where(and(eq(passkeys.id, id), counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter)))
    .returning({ id: passkeys.id })
    .get()
  return advanced !== undefined
}
