import { drizzle } from 'drizzle-orm/d1'
import type { Env } from '../env'
import { heldUntil, newLine, type Way } from './line'
import { newMeter, type Meter } from './limits'
import { routeStatements, metered } from './meter'
import { newSession } from './session'

export type Db = ReturnType<typeof openDb>

export const openWay = (meter: Meter, way: Way) => Object.assign(drizzle(routeStatements(way)), { meter })

/** The primary database. `$client` is D1 itself, for bulk statements. */
export function openDb(env: Env, meter: Meter = newMeter()) {
  const send = metered(env.DB, meter)
  return openWay(meter, { read: send, write: send })
}

/** For a request: the reads of one turn are one trip. A database that is held tells nothing before it is `cleared`. */
export function openLine(env: Env) {
  const meter = newMeter()
  const session = newSession(env.DB, meter)
  const line = newLine(session.send)
  return {
    db: openWay(meter, line),
    hold: (cleared: Promise<void>) => openWay(meter, heldUntil(cleared, line)),
    session,
  }
}
