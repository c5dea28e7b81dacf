import type { Env } from '../env'

const derived = new Map<string, Uint8Array<ArrayBuffer>>()

// No promise is kept: that of a request whose caller has gone may never end, and all others would wait for it.
export async function keyFor(env: Env, use: string, secret = env.APP_SECRET) {
  const name = `${use} ${secret}`
  const key = derived.get(name) ?? (await derive(secret, use))
  derived.set(name, key)
  return key
}

async function derive(text: string, use: string) {
  if ((text ?? '').length < 32) throw new Error('APP_SECRET must be set, with 32 characters or more')
  const secret = await crypto.subtle.importKey('raw', utf8(text), 'HKDF', false, ['deriveBits'])
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8(use) }
  return new Uint8Array(await crypto.subtle.deriveBits(how, secret, 256))
}

/** Name of a secret that does not tell it. */
const keyId = async (secret: string) => (await hashToken(`kid ${secret}`)).slice(0, 8)
export const currentKeyId = (env: Env) => keyId(env.APP_SECRET)

/** The secret in force, or the one before it while secrets rotate. */
export async function findSecret(env: Env, kid: string | undefined) {
  for (const secret of [env.APP_SECRET, env.APP_SECRET_PREVIOUS])
    if (secret && (await keyId(secret)) === kid) return secret
  return undefined
}

export async function seal(env: Env, use: string, text: string) {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const key = await sealKey(env, use, env.APP_SECRET)
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, utf8(text))
  return `${await currentKeyId(env)}.${base64url(iv)}.${base64url(new Uint8Array(data))}`
}

export async function unseal(env: Env, use: string, sealed: string) {
  const [kid, iv = '', data = ''] = sealed.split('.')
  const secret = await findSecret(env, kid)
  if (!secret) throw new Error('Something was sealed under a secret that is gone')
  const opened = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: fromBase64url(iv) },
    await sealKey(env, use, secret),
    fromBase64url(data),
  )
  return new TextDecoder().decode(opened)
}

const sealKey = async (env: Env, use: string, secret: string) =>
  crypto.subtle.importKey('raw', await keyFor(env, `seal ${use}`, secret), 'AES-GCM', false, ['encrypt', 'decrypt'])

export const newToken = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

export async function hashToken(token: string) {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(token))))
}

export const utf8 = (text: string) => new TextEncoder().encode(text)
export const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url')
export const fromBase64url = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
