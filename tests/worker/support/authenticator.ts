const utf8 = (text: string) => new Uint8Array(new TextEncoder().encode(text))
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url')
const fromBase64url = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
const sha256 = async (data: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest('SHA-256', data))
const join = (...parts: (Uint8Array | number[])[]) => new Uint8Array(parts.flatMap((part) => [...part]))

const flags = { present: 1, verified: 4, attested: 64 }
type Options = { challenge: string; user?: { id: string } }
export type Quirks = { origin?: string; rpId?: string; isVerified?: boolean; counter?: number; type?: string }

/** A passkey device in software: ES256, self-contained, with a counter. */
export async function anAuthenticator(home = 'https://earshot.test') {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  if (keys instanceof CryptoKey) throw new Error('Not a pair of keys')
  const { publicKey, privateKey } = keys
  const id = crypto.getRandomValues(new Uint8Array(16))
  let handle = ''
  let counter = 0

  const clientData = (type: string, challenge: string, { origin = home }: Quirks) =>
    utf8(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const head = async (flag: number, { rpId = new URL(home).hostname, isVerified = true, ...quirks }: Quirks) => {
    const count = quirks.counter ?? ++counter
    const bytes = [24, 16, 8, 0].map((shift) => (count >> shift) & 255)
    return join(await sha256(utf8(rpId)), [flag | flags.present | (isVerified ? flags.verified : 0)], bytes)
  }
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} }

  /** navigator.credentials.create() */
  async function create({ challenge, user }: Options, quirks: Quirks = {}) {
    handle = user?.id ?? ''
    const { x = '', y = '' } = (await crypto.subtle.exportKey('jwk', publicKey)) as JsonWebKey
    const cose = join(
      [0xa5, 1, 2, 3, 0x26, 0x20, 1],
      [0x21, 0x58, 32],
      fromBase64url(x),
      [0x22, 0x58, 32],
      fromBase64url(y),
    )
    const authData = join(await head(flags.attested, quirks), new Uint8Array(16), [0, id.length], id, cose)
    const attestationObject = join(
      [0xa3, 0x63],
      utf8('fmt'),
      [0x64],
      utf8('none'),
      [0x67],
      utf8('attStmt'),
      [0xa0, 0x68],
      utf8('authData'),
      [0x58, authData.length],
      authData,
    )
    const response = {
      clientDataJSON: base64url(clientData(quirks.type ?? 'webauthn.create', challenge, quirks)),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    }
    return { ...credential, response }
  }

  /** navigator.credentials.get() */
  async function get({ challenge }: Options, quirks: Quirks = {}) {
    const data = clientData(quirks.type ?? 'webauthn.get', challenge, quirks)
    const authData = await head(0, quirks)
    const signed = join(authData, await sha256(data))
    const raw = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, signed)
    const response = {
      clientDataJSON: base64url(data),
      authenticatorData: base64url(authData),
      signature: base64url(der(new Uint8Array(raw))),
      userHandle: handle,
    }
    return { ...credential, response }
  }
  return { create, get }
}

// WebCrypto signs as r and s side by side, WebAuthn as ASN.1.
function der(raw: Uint8Array) {
  const integers = [raw.slice(0, 32), raw.slice(32)].map((number) => {
    const start = number.findIndex((byte) => byte !== 0)
    const digits = number.slice(start)
    const positive = (digits[0] ?? 0) > 127 ? [0, ...digits] : [...digits]
    return [2, positive.length, ...positive]
  })
  const body = integers.flat()
  return new Uint8Array([0x30, body.length, ...body])
}
