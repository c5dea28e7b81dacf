import setupWasm from 'argon2id/lib/setup.js'
import noSimd from 'argon2id/dist/no-simd.wasm'
import simd from 'argon2id/dist/simd.wasm'

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const cost = { memorySize: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32

type ComputeHash = Awaited<ReturnType<typeof setupWasm>>
let loaded: ComputeHash | undefined
const instantiate = (module: WebAssembly.Module) => async (imports: WebAssembly.Imports) => {
  const instance = await WebAssembly.instantiate(module, imports)
  return { instance, module }
}
// No promise is kept, as that of a request whose caller has gone may never end.
const compute = async () => (loaded ??= await setupWasm(instantiate(simd), instantiate(noSimd)))

/** A PHC string of argon2id: $argon2id$v=19$m=19456,t=2,p=1$salt$hash */
export async function hashPassword(password: string) {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  return write(salt, (await compute())({ password: encode(password), salt, tagLength, ...cost }))
}

function write(salt: Uint8Array, hash: Uint8Array) {
  const { memorySize, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memorySize},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Stands in for a hash: no password fits it. */
export const noPassword = '!'

export async function verifyPassword(password: string, stored: string) {
  if (stored === noPassword) {
    await verifyNothing(password)
    return false
  }
  // The library reads a single byte as a length, and refuses some.
  if (encode(password).length < shortest) return verifyPassword(decoyPassword, decoy)
  const match = phc.exec(stored)
  if (!match) throw new Error('A stored password is no PHC string of argon2id')
  const [, memorySize, passes, parallelism, salt = '', expected = ''] = match
  const hash = (await compute())({
    password: encode(password),
    salt: bytes(salt),
    tagLength: bytes(expected).length,
    memorySize: Number(memorySize),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return crypto.subtle.timingSafeEqual(hash, bytes(expected))
}

/** Takes as long as a real check, so that an unknown user cannot be told by time. */
export async function verifyNothing(password: string) {
  await verifyPassword(password, decoy)
}
const shortest = 2
const decoyPassword = 'as short as no password is'
const decoy = write(new Uint8Array(16), new Uint8Array(tagLength))

const encode = (text: string) => new TextEncoder().encode(text.normalize('NFKC'))
function base64(data: Uint8Array) {
  return btoa(String.fromCharCode(...data)).replace(/=+$/, '')
}
const bytes = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
