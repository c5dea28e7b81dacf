import { drizzle } from 'drizzle-orm/d1'
import type { Env } from '../env'
import { giveWay } from './give-way'
import { metered } from './metered'
import type { Turn } from './metered'
import { newMeter } from './limits'
import type { Meter } from './limits'

export type Db = ReturnType<typeof openDb>

/** The database of one invocation: `$client` is D1 itself, for bulk statements. */
export function openDb(env: Env, meter: Meter = newMeter()) {
  return opened(metered(env.DB, meter, atOnce), { meter, giveWay: async () => undefined })
}

const atOnce: Turn = (ask) => ask()
const afterReaders: Turn = async (ask) => {
  await giveWay()
  return ask()
}

/** The same for work that nobody waits for: before each query, and at `giveWay`, readers go first. */
export const openBehind = (env: Env, meter: Meter = newMeter()): Db =>
  opened(metered(env.DB, meter, afterReaders), { meter, giveWay })

const opened = (db: D1Database, more: { meter: Meter; giveWay: () => Promise<void> }) =>
  Object.assign(drizzle(db), more)
