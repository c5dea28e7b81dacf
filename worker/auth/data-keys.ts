import type { Db } from '../db/open'
import type { Env } from '../env'
import { base64url, fromBase64url, newToken, seal, unseal, utf8 } from './keys'

type Name = 'audit' | 'newsletter' | 'alert_mails'
const opened = new Map<string, Uint8Array<ArrayBuffer>>()

/** Stays the same when the Worker's secret rotates. */
export async function getDataKey(env: Env, db: Db, name: Name) {
  const find = () =>
    db.$client.prepare('SELECT sealed FROM data_keys WHERE name = ?1').bind(name).first<{ sealed: string }>()
  const found = (await find()) ?? (await make(env, db, name), await find())
  if (!found) throw new Error(`The key ${name} was not written`)
  return open(env, found.sealed)
}

async function make(env: Env, db: Db, name: Name) {
  await db.$client
    .prepare('INSERT INTO data_keys(name, sealed) VALUES (?1, ?2) ON CONFLICT DO NOTHING')
    .bind(name, await seal(env, 'data key', newToken()))
    .run()
}

async function open(env: Env, sealed: string) {
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
