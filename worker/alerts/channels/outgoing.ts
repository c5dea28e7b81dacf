import { requirePublicUrl } from '../../auth/public-url'
import type { Env } from '../../env'

const timeout_ms = 15_000
const maxBytes = 64_000
const maxShown = 200
const maxWait_s = 86_400
const step = { tries: 3, within_ms: 5_000 }

type Outgoing = {
  url: string
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET'
  headers?: Record<string, string>
  body?: string
}
/** `text` holds at most 64 kB. */
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

export const shownAnswer = ({ status, text }: ReceiverAnswer) =>
  // oxlint-disable-next-line no-control-regex
  `${status} ${text.slice(0, maxShown).replace(/[\u0000-\u001f\u007f]+/g, ' ')}`.trim()

export async function requireChannelUrl(env: Env, text: string) {
  // One setting, for tests and for trying things out on this machine.
  if (env.LOCAL_CHANNELS !== '1') return requirePublicUrl(env, text)
  if (!URL.canParse(text)) throw new Error('Must be a web address, with https://')
}

/** One request to a tenant's address: public ones only, resolved anew, no redirects, 15 s, 64 kB. A refusal throws the receiver's words. */
export async function sendOut(
  env: Env,
  { url, method = 'POST', headers = {}, body }: Outgoing,
): Promise<ReceiverAnswer> {
  await requireChannelUrl(env, url).catch((error: Error) => {
    throw new NotTaken(error.message)
  })
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(timeout_ms)
  const request = { method, headers: { 'user-agent': 'Earshot', ...headers }, redirect: 'manual' as const, signal }
  try {
    const response = await fetch(url, body === undefined ? request : { ...request, body })
    const answer = { status: response.status, text: hideSecrets(await readStart(response), { url, headers }) }
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

/** A receiver may repeat what it was sent, and every member reads its answer. */
function hideSecrets(text: string, { url, headers = {} }: Pick<Outgoing, 'url' | 'headers'>) {
  const { pathname, search } = new URL(url)
  const secret = headers['authorization']?.replace(/^Bearer /, '') ?? pathname + search
  return secret.length > 1 ? text.replaceAll(secret, '****') : text
}

async function readStart(response: Response) {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece.subarray(0, maxBytes - bytes), { stream: true })
    bytes += piece.byteLength
    // What follows is not read: the receiver took the message or did not.
    if (bytes >= maxBytes) break
  }
  return text
}

/** Seconds, or a date; a day at most. */
function readRetryAfter(text: string | null) {
  if (!text) return null
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), maxWait_s) : null
}
