import { refreshToken } from '../../worker/auth/contract'
import { ApiError, call } from '../lib/call'
import { rereadSession, loseSession, setTokens, currentTokens } from './session'

let renewal: Promise<string | undefined> | undefined

/** Calls at the same time share one renewal; it answers nothing when the session has ended. */
export function renewAccess(stale: string) {
  renewal ??= oneTabAtATime(() => renew(stale)).finally(() => {
    renewal = undefined
  })
  return renewal
}

async function renew(stale: string) {
  rereadSession()
  const tokens = currentTokens()
  if (!tokens || tokens.access !== stale) return tokens?.access

  try {
    const renewed = await call(refreshToken, { body: { refresh: tokens.refresh } })
    setTokens(renewed)
    return renewed.access
  } catch (error) {
    if (!isRefusal(error)) throw error
    loseSession()
  }
}

// A refresh token is good for one use, so two tabs must not send the same one. Locks need https, or localhost.
function oneTabAtATime<Result>(action: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? navigator.locks.request('earshot-renew', action) : action()
}

// Being offline or throttled for a moment is no reason to sign anybody out.
const isRefusal = (error: unknown) => error instanceof ApiError && [400, 401, 403].includes(error.status)
