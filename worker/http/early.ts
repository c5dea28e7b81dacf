import type { Context } from 'hono'
import type { Db } from '../db/open'
import type { Actor } from '../domain/people/access'
import type { App } from './route'

export type EarlyCall = { actor: Actor; db: Db; cleared: Promise<void> }

/**
 * Begins to answer whom the credentials named last while the database is asked whether they still do. What is read until then stays held,
 * and so does the answer; when somebody else is named, or nobody, what was begun hears nothing and the answer begins anew.
 */
export async function answerEarly(c: Context<App>, begin: (begun: EarlyCall) => Promise<Response>) {
  const likely = c.get('likely')
  if (!likely) return undefined
  const { promise: cleared, resolve: clear } = Promise.withResolvers<void>()
  const confirmed = likely.confirm()
  const answer = begin({ actor: likely.actor, db: c.get('hold')(cleared), cleared }).then(
    (response) => () => response,
    (error: unknown) => () => {
      throw error
    },
  )
  await confirmed
  if (JSON.stringify(c.get('actor')) !== JSON.stringify(likely.actor)) return undefined
  clear()
  return (await answer)()
}
