import { lt, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { prune } from '../db/prune'
import { plusSeconds, stamp } from '../db/time'
import { challenges, knownPlaces, links, refreshTokens, sessions, throttles } from '../schema/auth'
import { maxWaitSeconds } from './throttle'

/** How long what is over stays: links as a trace, used refresh tokens to tell theft, networks until they are strange again. */
const signInAges = { link_days: 30, refresh_token_days: 7, place_days: 180 }

export function sweepSignIns(db: Db, now: Date) {
  const at = stamp(now)
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  const waited = sql`unixepoch(${at}) - unixepoch(${throttles.last_at})`
  return prune(db, [
    { table: throttles, key: [throttles.key], isOld: sql`${waited} > ${throttles.failures} * ${maxWaitSeconds}` },
    { table: challenges, key: [challenges.id], isOld: lt(challenges.expires_at, at) },
    { table: links, key: [links.id], isOld: lt(links.expires_at, before(signInAges.link_days)) },
    {
      table: refreshTokens,
      key: [refreshTokens.token_hash],
      isOld: lt(refreshTokens.used_at, before(signInAges.refresh_token_days)),
    },
    {
      table: knownPlaces,
      key: [knownPlaces.user_id, knownPlaces.network],
      isOld: lt(knownPlaces.last_at, before(signInAges.place_days)),
    },
    { table: sessions, key: [sessions.id], isOld: lt(sessions.expires_at, at) },
  ])
}
