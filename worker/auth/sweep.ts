import { lt, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { challenges, knownPlaces, links, refreshTokens, sessions, throttles } from '../schema/auth'
import { maxWaitSeconds } from './throttle'

/** How long what is over stays: links as a trace, used refresh tokens to tell theft, networks until they are strange again. */
const signInAges = { link_days: 30, refresh_token_days: 7, place_days: 180 }

export async function sweepSignIns(db: Db, now: Date) {
  const at = stamp(now)
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  const waited = sql`unixepoch(${at}) - unixepoch(${throttles.last_at})`
  await db.batch([
    db.delete(throttles).where(sql`${waited} > ${throttles.failures} * ${maxWaitSeconds}`),
    db.delete(challenges).where(lt(challenges.expires_at, at)),
    db.delete(links).where(lt(links.expires_at, before(signInAges.link_days))),
    db.delete(refreshTokens).where(lt(refreshTokens.used_at, before(signInAges.refresh_token_days))),
    db.delete(knownPlaces).where(lt(knownPlaces.last_at, before(signInAges.place_days))),
    db.delete(sessions).where(lt(sessions.expires_at, at)),
  ])
}
