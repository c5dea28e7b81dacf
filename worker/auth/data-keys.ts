import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { dataKeys } from '../schema/keys'
import { base64url, fromBase64url, newToken, seal, unseal, utf8 } from './keys'

type Name = (typeof dataKeys.$inferSelect)['name']
const opened = new Map<string, Uint8Array<ArrayBuffer>>()

/** Stays the same when the Worker's secret rotates. */
export async function getDataKey(env: Env, db: Db, name: Name) {
  const find = () => db.select({ sealed: dataKeys.sealed }).from(dataKeys).where(eq(dataKeys.name, name)).get()
  const found = (await find()) ?? (await make(env, db, name), await find())
  if (!found) throw new Error(`The key ${name} was not written`)
  return openDataKey(env, found.sealed)
}

/** Tells one database from any other, whatever secret is in force. */
export const nameDatabase = async (env: Env, db: Db) => sign(await getDataKey(env, db, 'alert_mails'), 'database')

async function make(env: Env, db: Db, name: Name) {
  const sealed = await seal(env, 'data key', newToken())
  await db.insert(dataKeys).values({ name, sealed }).onConflictDoNothing()
}

export async function openDataKey(env: Env, sealed: string) {
  const known = opened.get(sealed)
  if (known) return known
  const key = fromBase64url(await unseal(env, 'data key', sealed))
  opened.set(sealed, key)
  return key
}

export async function sign(key: Uint8Array<ArrayBuffer>, text: string) {
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, utf8(text))))
}
