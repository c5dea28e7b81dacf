import { utf8 } from '../../auth/keys'

/** Ours, random once and for all. */
const namespace = '6f1d7c52-6a0e-4b7e-9a53-0c2c7b1f9d44'

/** Version 5 of RFC 9562. */
export async function nameUuid(name: string) {
  const space = Uint8Array.from(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', Buffer.concat([space, utf8(name)])))
  const bytes = digest.slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
