import type { Context } from 'hono'
import type { Db } from '../db/open'
import type { Actor } from '../domain/people/access'
import { readBookmark } from './bookmark'
import type { AnyEndpoint } from './endpoint'
import type { App } from './route'

/** The caller that the credentials of a reading call named last. */
export type LikelyCaller = {
  actor: Actor
  /** The primary named them, not long ago. */
  isSure: boolean
  /** Asks, and sets who calls. */
  confirm: () => Promise<void>
  /** Asks the primary beside the answer, when it was not asked for a while. */
  renew: () => Promise<void> | undefined
}
export type EarlyCall = { actor: Actor; db: Db; cleared: Promise<void> }

/**
 * Begins to answer the caller whom the credentials named last while the database is asked whether they still do. Reads until
 * then stay held, nothing is written, and the answer waits; when somebody else is named, or nobody, the begun work hears nothing
 * and the answer begins anew.
 */
export async function answerEarly(
  c: Context<App>,
  { method, alsoGet }: Pick<AnyEndpoint, 'method' | 'alsoGet'>,
  begin: (begun: EarlyCall) => Promise<Response>,
) {
  const likely = c.get('likely')
  if (!likely) return undefined
  const session = c.get('session')
  // A call that writes asks the primary alone.
  const bookmark = method === 'GET' && !alsoGet ? readBookmark(c) : undefined
  if (bookmark && likely.isSure) {
    session.begin(bookmark)
    c.executionCtx.waitUntil(likely.renew() ?? Promise.resolve())
  }
  const { promise: cleared, resolve: clear } = Promise.withResolvers<void>()
  const confirmed = likely.confirm()
  const answer = begin({ actor: likely.actor, db: c.get('hold')(cleared), cleared }).then(
    (response) => () => response,
    (error: unknown) => () => {
      throw error
    },
  )
  await confirmed
  if (JSON.stringify(c.get('actor')) === JSON.stringify(likely.actor)) {
    clear()
    return (await answer)()
  }
  // A copy may know less than this isolate.
  if (!session.isAtPrimary()) {
    session.begin('first-primary')
    await likely.confirm()
  }
  return undefined
}
