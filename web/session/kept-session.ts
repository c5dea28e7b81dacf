import type * as z from 'zod'
import type { Tokens } from '../../worker/auth/contract'
import { keep, readKept } from '../lib/kept'

export const sessionKey = 'EarshotHears'

type Who = { user?: { id: number } | null; org?: { id: number } | null }
type KeptTokens = z.output<typeof Tokens>
type KeptSession = Who & { tokens?: KeptTokens | null }

/** The user and the organization looked at. */
export const identify = ({ user, org }: Who) => `${user?.id}@${org?.id}`

/** As the app wrote it: `early.ts` has no room for schemas. */
export const keptSession = () => Object(readKept(sessionKey)) as KeptSession

type Send = (body: { refresh: string }) => Promise<KeptTokens>

/**
 * In the storage alone, from where the app of each tab takes it. A refresh token is good for one use, so two tabs must not send the same
 * one. Locks need https, or localhost.
 */
export function renewKept(stale: string, send: Send) {
  const renew = () => renewTokens(stale, send)
  return navigator.locks ? navigator.locks.request('earshot-renew', renew) : renew()
}

async function renewTokens(stale: string, send: Send) {
  const { tokens } = keptSession()
  if (tokens?.access !== stale) return tokens?.access
  const renewed = await send({ refresh: tokens.refresh })
  const now = keptSession()
  // Somebody may have signed out in another tab meanwhile.
  if (now.tokens?.access !== stale) return now.tokens?.access
  keep(sessionKey, JSON.stringify({ ...now, tokens: renewed }))
  dispatchEvent(new StorageEvent('storage', { key: sessionKey }))
  return renewed.access
}
