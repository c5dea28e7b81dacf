import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import setupWasm from 'argon2id/lib/setup.js'
import { admin } from '../support/product.ts'
import type { ApiClient } from '../support/product.ts'

const rounds = 20
const require = createRequire(import.meta.url)

/** A sign-in, compared with the bare password hash; and the cost of authentication per request. */
export async function measureSignIn(url: string, client: ApiClient): Promise<[string, string][]> {
  const hash = await bareHash()
  const [bare, whole]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    bare.push(await timed(async () => void hash()))
    whole.push(await timed(() => signInOnce(url)))
  }
  const over = median(whole) - median(bare)
  const missing = await fetch(`${url}/api/nothing`, { headers: { authorization: client.authorization } })
  const queries = /queries=(\d+)/.exec(missing.headers.get('server-timing') ?? '')?.[1] ?? 'unknown'
  return [
    [
      'sign-in over the bare argon2id hash (at most 60 ms)',
      `${median(whole).toFixed(1)} - ${median(bare).toFixed(1)} = ${over.toFixed(1)} ms`,
    ],
    ['queries that authentication costs a request (at most 1)', queries],
  ]
}

async function bareHash() {
  const load = (file: string) => async (imports: WebAssembly.Imports) =>
    WebAssembly.instantiate(readFileSync(require.resolve(`argon2id/dist/${file}`)), imports)
  const compute = await setupWasm(load('simd.wasm'), load('no-simd.wasm'))
  const [password, salt] = [new TextEncoder().encode(admin.password), new Uint8Array(16)]
  return () => compute({ password, salt, parallelism: 1, passes: 2, memorySize: 19_456, tagLength: 32 })
}

async function signInOnce(url: string) {
  const response = await fetch(`${url}/api/public/jwt-auth/obtain-token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`Sign-in answered ${response.status}`)
}

async function timed(work: () => Promise<void>) {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
