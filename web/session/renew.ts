import { refreshToken } from '../../worker/auth/contract'
import { ApiError, call } from '../lib/call'
import { renewKept } from './kept-session'
import { loseSession, rereadSession } from './session'

let renewal: Promise<string | undefined> | undefined

/** Calls at the same time share one renewal; it answers nothing when the session has ended. */
export function renewAccess(stale: string) {
  renewal ??= renew(stale).finally(() => {
    renewal = undefined
  })
  return renewal
}

async function renew(stale: string) {
  try {
    return await renewKept(stale, (body) => call(refreshToken, { body })).finally(rereadSession)
  } catch (error) {
    if (!isRefusal(error)) throw error
    loseSession()
  }
}

// Being offline or throttled for a moment is no reason to sign anybody out.
const isRefusal = (error: unknown) => error instanceof ApiError && [400, 401, 403].includes(error.status)
