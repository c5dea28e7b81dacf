import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server'
import { and, eq, sql } from 'drizzle-orm'
import { beside } from '../db/beside'
import { orRefuse, refuseBeyond } from '../db/guard'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { deleteRows, statement } from '../db/statement'
import { stamp } from '../db/time'
import { Failure, notFound } from '../http/errors'
import { passkeys } from '../schema/auth'
import type { By } from '../auth/audited-by'
import { takeChallenge } from '../auth/challenges'
import { base64url } from '../auth/keys'
import { findCredentials } from '../auth/second-factor/passkeys'
import { requireProof } from '../auth/proof'
import * as webauthn from '../auth/second-factor/webauthn'
import { getOwn, readProved } from './password'

export const maxPasskeys = 20

type Row = { id: number; name: string; created_at: string; last_used_at: string | null }
const columns = pick(passkeys, 'id', 'name', 'created_at', 'last_used_at')
const isOwn = (user_id: number, id: number) => and(eq(passkeys.id, id), eq(passkeys.user_id, user_id))

export const findPasskeys = async (db: Db, user_id: number) =>
  db.select(columns).from(passkeys).where(eq(passkeys.user_id, user_id)).orderBy(passkeys.id)

export async function passkeyCeremony(db: Db, { env, actor, now }: By) {
  const { user_id } = actor
  const read = Promise.all([getOwn(db, user_id), findCredentials(db, user_id)])
  const [, [user, excludeCredentials]] = await beside(requireProof(db, actor, now), read)
  const options = await generateRegistrationOptions({
    rpName: 'Earshot',
    rpID: webauthn.relyingParty(env),
    userName: user.username,
    userDisplayName: user.username,
    userID: webauthn.userHandle(user_id),
    attestationType: 'none',
    excludeCredentials,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return webauthn.beginCeremony(db, { kind: 'passkey_create', user_id, options }, now)
}

const refused = () => new Failure(400, 'passkey_refused', 'This passkey was not accepted')

type Given = { challenge_id: string; name: string; response: unknown }

export async function savePasskey(db: Db, { challenge_id, name, response }: Given, by: By) {
  const { env, now } = by
  const { user_id } = by.actor
  const { tell } = await readProved(db, by, Promise.resolve())
  const created = webauthn.readCredential(webauthn.Created, response)
  const begun = await takeChallenge(db, 'passkey_create', challenge_id, now)
  if (!begun || begun.user_id !== user_id) throw refused()
  const { challenge } = webauthn.Challenged.parse(JSON.parse(begun.data))
  const result = await webauthn.verified(() =>
    verifyRegistrationResponse({ ...webauthn.toExpected(env, challenge), response: created }),
  )
  if (!result?.registrationInfo) throw refused()
  const { credential } = result.registrationInfo
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
    statement(db, refuseBeyond(sql`SELECT count(*) FROM passkeys WHERE user_id = ${user_id}`, maxPasskeys)),
  ]
  const [inserted] = await tell(statements, {
    action: 'passkey.add',
    target: name,
    title: 'A passkey was added',
    text: `This account can be signed in to with the passkey "${name}" now.`,
  }).catch(orRefuse('quota', tooMany))
  const [row] = (inserted?.results ?? []) as Row[]
  if (!row) throw refused()
  return row
}

const tooMany = () => new Failure(409, 'quota', `You have ${maxPasskeys} passkeys: remove one first`)

export async function renameOwnPasskey(db: Db, user_id: number, { id, name }: { id: number; name: string }) {
  const row = await db.update(passkeys).set({ name }).where(isOwn(user_id, id)).returning(columns).get()
  if (!row) throw notFound('Passkey')
  return row
}

export async function removeOwnPasskey(db: Db, id: number, by: By) {
  const which = isOwn(by.actor.user_id, id)
  const find = db.select({ name: passkeys.name }).from(passkeys).where(which).get()
  const { found, tell } = await readProved(db, by, find)
  if (!found) throw notFound('Passkey')
  await tell([deleteRows(db, passkeys, which)], {
    action: 'passkey.remove',
    target: found.name,
    title: 'A passkey was removed',
    text: `The passkey "${found.name}" does not sign in to this account any more.`,
  })
}
