import type { Actor } from '../domain/people/access'
import { needsSession } from '../http/errors'

export function requireSessionActor(actor: Actor) {
  if (actor.session_id === null) throw needsSession()
  return { ...actor, session_id: actor.session_id }
}
export type SessionActor = ReturnType<typeof requireSessionActor>
