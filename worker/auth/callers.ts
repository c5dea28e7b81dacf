import type { Actor } from '../domain/people/access'
import type { Allowance } from '../http/throttle'

export type KnownCaller = { actor: Actor; allowances: Allowance[] }
type Remembered = KnownCaller & { confirmed_ms: number; renewed_ms: number }

/**
 * How long an answer of the primary lets a copy of the database answer for who calls: an ended session opens nothing after that,
 * however late the copy is. Somebody who goes on reading never waits for the primary, which is asked again beside an answer.
 */
const sure_ms = 60_000
const renewEvery_ms = 15_000

/**
 * The callers that credentials named last, in the memory of the isolate: the batch of a read asks for its caller, and nothing of it leaves
 * before both were found to agree. Only the primary is believed.
 */
const callers = new Map<string, Remembered>()
const maxCallers = 5_000

export function recallCaller(key: string) {
  const known = callers.get(key)
  return known && { ...known, isSure: isRecent(known.confirmed_ms, sure_ms) }
}

export function rememberCaller(key: string, caller: KnownCaller, asked_ms: number) {
  callers.delete(key)
  callers.set(key, { ...caller, confirmed_ms: asked_ms, renewed_ms: asked_ms })
  const [oldest] = callers.keys()
  if (callers.size > maxCallers && oldest !== undefined) callers.delete(oldest)
}

export const forgetCaller = (key: string) => callers.delete(key)

/** Whether the primary is to be asked again; of calls that come together one is told so. */
export function isRenewalDue(key: string) {
  const known = callers.get(key)
  if (!known || isRecent(known.renewed_ms, renewEvery_ms)) return false
  known.renewed_ms = Date.now()
  return true
}

/** A clock that was set back makes nothing recent. */
function isRecent(at_ms: number, within_ms: number) {
  const ago_ms = Date.now() - at_ms
  return ago_ms >= 0 && ago_ms < within_ms
}
