import * as z from 'zod'
import { noteError } from '../db/error-text'
import type { Env } from '../env'
import { Failure } from '../http/errors'

const verifyUrl = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
const timeoutMs = 5_000
const Answer = z.object({ success: z.boolean() })

const notHuman = () => new Failure(403, 'not_human', 'Please confirm that you are human, and try again')

/** Off without a secret. */
export async function requireHuman(env: Env, token: string | undefined, ip: string) {
  if (!env.TURNSTILE_SECRET) return
  if (!token) throw notHuman()
  const body = new URLSearchParams({ secret: env.TURNSTILE_SECRET, response: token, ...(ip && { remoteip: ip }) })
  if (!(await isConfirmed(body))) throw notHuman()
}

async function isConfirmed(body: URLSearchParams) {
  try {
    const response = await fetch(verifyUrl, { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) })
    const answer = Answer.safeParse(await response.json())
    return answer.success && answer.data.success
  } catch (error) {
    noteError({ job: 'turnstile' }, error)
    return false
  }
}
