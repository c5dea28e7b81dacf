import { drizzle } from 'drizzle-orm/d1'
import type { Env } from '../env'
import { metered } from './meter'
import { newMeter } from './limits'
import type { Meter } from './limits'

export type Db = ReturnType<typeof openDb>

/** `$client` is D1 itself, for bulk statements. */
export const openDb = (env: Env, meter: Meter = newMeter()) => Object.assign(drizzle(metered(env.DB, meter)), { meter })
