import type { Actor } from '../domain/people/access'
import type { Allowance } from '../http/throttle'

export type KnownCaller = { actor: Actor; allowances: Allowance[] }

/**
 * Whom credentials named last, in the memory of the isolate: who reads is asked for in the batch of what is read, and nothing of it leaves
 * before both were found to agree.
 */
const callers = new Map<string, KnownCaller>()
const maxCallers = 5_000

export const recallCaller = (key: string) => callers.get(key)

export function rememberCaller(key: string, caller: KnownCaller) {
  callers.delete(key)
  callers.set(key, caller)
  const [oldest] = callers.keys()
  if (callers.size > maxCallers && oldest !== undefined) callers.delete(oldest)
}

export const forgetCaller = (key: string) => callers.delete(key)
