import type * as z from 'zod'
import { Failure } from '../http/errors'

const timeout_ms = 10_000
const maxBytes = 100_000

export const providerFailure = (message: string) => new Failure(502, 'provider', message)

/** One question to another server: ten seconds, 100 kB, no redirects, JSON of the expected shape. */
export async function askJson<Reply>(url: string, schema: z.ZodType<Reply>, init: RequestInit = {}) {
  const host = new URL(url).host
  const { response, text } = await read(url, init)
  if (response.status >= 300 && response.status < 400) throw providerFailure(`${host} sent us elsewhere`)
  const json = parseJson(text)
  if (!response.ok) throw providerFailure(`${host} answered ${response.status}${reasonIn(json)}`)
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw providerFailure(`${host} did not answer as expected: ${issue?.path.join('.')} ${issue?.message}`)
}

async function read(url: string, init: RequestInit) {
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    const headers = { accept: 'application/json', 'user-agent': 'Earshot', ...init.headers }
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal })
    return { response, text: await readText(response, host) }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw providerFailure(
      signal.aborted ? `${host} did not answer within ${timeout_ms / 1000} s` : `${host} could not be reached`,
    )
  }
}

async function readText(response: Response, host: string) {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > maxBytes) throw providerFailure(`${host} sent more than ${maxBytes / 1000} kB`)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** OAuth's word for what went wrong, as in {"error": "invalid_grant"}. */
function reasonIn(json: unknown) {
  const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : undefined
  return typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? ` (${error})` : ''
}
