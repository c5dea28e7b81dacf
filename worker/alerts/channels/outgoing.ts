import { isListedReceiver, requirePublicUrl } from '../../auth/public-url'
import type * as z from 'zod'
import type { Env } from '../../env'
import type { Secrets } from './secrets'

const timeout_ms = 15_000
const maxBytes = 64_000
const maxWait_s = 86_400
const step = { tries: 3, within_ms: 5_000 }

type Outgoing = {
  url: string
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET'
  headers?: Record<string, string>
  body?: string
  maxAnswer?: number
}
/** `text` is what only the channel reads. */
export type ReceiverAnswer = { status: number; text: string }

export class NotTaken extends Error {
  readonly answer: ReceiverAnswer | null
  readonly wait_s: number | null

  constructor(message: string, answer: ReceiverAnswer | null = null, wait_s: number | null = null) {
    super(message)
    this.answer = answer
    this.wait_s = wait_s
  }
}

/** Our own words for what a receiver answered: its text may be a page of a network that the reader cannot see otherwise. */
export const shownAnswer = ({ status }: ReceiverAnswer) => {
  const words = status < 300 ? 'accepted' : (refusals[status] ?? (status < 500 ? 'not accepted' : 'it is out of order'))
  return `${status}: ${words}`
}
const refusals: Record<number, string> = {
  400: 'it does not take a message of this form',
  401: 'it does not know the key',
  403: 'the key or the address may not do this',
  404: 'nothing is at this address',
  410: 'the address is gone',
  413: 'the message is too large',
  429: 'too many messages',
}

export async function requireChannelUrl(env: Env, text: string) {
  if (URL.canParse(text) && isListedReceiver(env, new URL(text))) return
  await requirePublicUrl(env, text)
}

/** One request to a tenant's address: public ones only, resolved anew, no redirects, 15 s, 64 kB. A refusal throws its status. */
export async function sendOut(
  env: Env,
  { url, method = 'POST', headers = {}, body, maxAnswer = maxBytes }: Outgoing,
): Promise<ReceiverAnswer> {
  await requireChannelUrl(env, url).catch((error: Error) => {
    throw new NotTaken(error.message)
  })
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(timeout_ms)
  const request = { method, headers: { 'user-agent': 'Earshot', ...headers }, redirect: 'manual' as const, signal }
  try {
    const response = await fetch(url, body === undefined ? request : { ...request, body })
    const answer = { status: response.status, text: await readStart(response, maxAnswer) }
    if (response.ok) return answer
    const isElsewhere = answer.status >= 300 && answer.status < 400
    throw new NotTaken(
      isElsewhere ? `${host} sent us elsewhere` : `${host} answered ${shownAnswer(answer)}`,
      answer,
      readRetryAfter(response.headers.get('retry-after')),
    )
  } catch (error) {
    if (error instanceof NotTaken) throw error
    throw new NotTaken(
      signal.aborted ? `${host} did not answer within ${timeout_ms / 1000} s` : `${host} could not be reached`,
    )
  }
}

/** One request of several of a message. A lost one is repeated at once, else all would be; one that hangs is not, as others wait. */
export async function sendStep(env: Env, outgoing: Outgoing) {
  const until = Date.now() + step.within_ms
  for (let tries = 1; ; tries++) {
    try {
      return await sendOut(env, outgoing)
    } catch (error) {
      const isLost = error instanceof NotTaken && error.wait_s === null && (error.answer?.status ?? 500) >= 500
      if (!isLost || tries === step.tries || Date.now() > until) throw error
    }
  }
}

export function postToChannel(
  { env, secrets: { url } }: { env: Env; secrets: Secrets },
  message: object | string,
  headers: Record<string, string> = {},
) {
  if (!url) throw new NotTaken('The channel has no address')
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  return sendOut(env, { url, headers: { 'content-type': 'application/json', ...headers }, body })
}

type Call = Pick<Outgoing, 'method' | 'maxAnswer'> & {
  base: string
  path: string
  key: string
  body?: object | undefined
}

export const toRequest = ({ base, path, key, body, method = body ? 'POST' : 'GET', ...rest }: Call): Outgoing => ({
  url: `${base.replace(/\/+$/, '')}${path}`,
  method,
  headers: { 'content-type': 'application/json', accept: 'application/json', authorization: key },
  ...(body && { body: JSON.stringify(body) }),
  ...rest,
})

export function parseAnswer<Found>(tool: string, schema: z.ZodType<Found>, { text }: ReceiverAnswer) {
  const { data } = schema.safeParse(parseJson(text))
  if (data === undefined) throw new NotTaken(`${tool} did not answer as expected`)
  return data
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readStart(response: Response, limit: number) {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece.subarray(0, limit - bytes), { stream: true })
      bytes += piece.byteLength
      if (bytes >= limit) break
    }
  } catch {
    // The status says whether the message was taken, however its text ends: sent again, it would come twice.
  }
  return text
}

/** Seconds, or a date; a day at most. */
function readRetryAfter(text: string | null) {
  if (!text) return null
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), maxWait_s) : null
}
