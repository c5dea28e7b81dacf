import { drizzle } from 'drizzle-orm/d1'
import type { Env } from '../env'
import { heldUntil, newLine } from './line'
import type { Way } from './line'
import { newMeter } from './limits'
import type { Meter } from './limits'
import { routeStatements, metered } from './meter'

export type Db = ReturnType<typeof openDb>

const open = (env: Env, meter: Meter, way: Way) => Object.assign(drizzle(routeStatements(env.DB, way)), { meter })

/** `$client` is D1 itself, for bulk statements. */
export function openDb(env: Env, meter: Meter = newMeter()) {
  const send = metered(env.DB, meter)
  return open(env, meter, { read: send, write: send })
}

/** For a request: what it reads in one turn is one trip. A database that is held tells nothing before it is `cleared`. */
export function openLine(env: Env) {
  const meter = newMeter()
  const line = newLine(metered(env.DB, meter))
  return { db: open(env, meter, line), hold: (cleared: Promise<void>) => open(env, meter, heldUntil(cleared, line)) }
}
