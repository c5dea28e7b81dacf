import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { maxWaitSeconds } from './throttle'

/** How long what is over stays: links as a trace, used refresh tokens to tell theft, networks until they are strange again. */
const signInAges = { link_days: 30, refresh_token_days: 7, place_days: 180 }

export async function sweepSignIns(db: Db, now: Date) {
  const at = stamp(now)
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  await db.$client.batch([
    db.$client
      .prepare(`DELETE FROM throttles WHERE unixepoch(?1) - unixepoch(last_at) > failures * ${maxWaitSeconds}`)
      .bind(at),
    db.$client.prepare('DELETE FROM challenges WHERE expires_at < ?1').bind(at),
    db.$client.prepare('DELETE FROM links WHERE expires_at < ?1').bind(before(signInAges.link_days)),
    db.$client.prepare('DELETE FROM refresh_tokens WHERE used_at < ?1').bind(before(signInAges.refresh_token_days)),
    db.$client.prepare('DELETE FROM known_places WHERE last_at < ?1').bind(before(signInAges.place_days)),
    db.$client.prepare('DELETE FROM sessions WHERE expires_at < ?1').bind(at),
  ])
}
