import type { Env } from '../env'

const derived = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

/** A key for one use, derived from the Worker's secret (HKDF, SHA-256). */
export function keyFor(env: Env, use: string) {
  const name = `${use} ${env.APP_SECRET}`
  const known = derived.get(name) ?? derive(env, use)
  derived.set(name, known)
  return known
}

async function derive(env: Env, use: string) {
  if ((env.APP_SECRET ?? '').length < 32) throw new Error('APP_SECRET must be set, with 32 characters or more')
  const secret = await crypto.subtle.importKey('raw', utf8(env.APP_SECRET), 'HKDF', false, ['deriveBits'])
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8(use) }
  return new Uint8Array(await crypto.subtle.deriveBits(how, secret, 256))
}

/** Encrypts what must be read again (AES-GCM): a TOTP secret, a client secret, the key of a channel. */
export async function seal(env: Env, use: string, text: string) {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await sealKey(env, use), utf8(text))
  return `${base64url(iv)}.${base64url(new Uint8Array(data))}`
}

export async function unseal(env: Env, use: string, sealed: string) {
  const [iv = '', data = ''] = sealed.split('.')
  const opened = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv: fromBase64url(iv) },
    await sealKey(env, use),
    fromBase64url(data),
  )
  return new TextDecoder().decode(opened)
}

const sealKey = async (env: Env, use: string) =>
  crypto.subtle.importKey('raw', await keyFor(env, `seal ${use}`), 'AES-GCM', false, ['encrypt', 'decrypt'])

/** 256 random bits, as a link or a token carries them. */
export const newToken = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** Tokens are stored as their SHA-256. */
export async function hashOf(token: string) {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(token))))
}

export const utf8 = (text: string) => new TextEncoder().encode(text)
export const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url')
export const fromBase64url = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
