import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { maxWaitSeconds } from './throttle'

const keptLinkDays = 30

/** Takes away what has expired: failures that are forgiven, sign-ins never finished, old links, dead sessions. */
export async function sweepSignIns(db: Db, now: Date) {
  const at = stamp(now)
  await db.$client.batch([
    db.$client
      .prepare(`DELETE FROM throttles WHERE unixepoch(?1) - unixepoch(last_at) > failures * ${maxWaitSeconds}`)
      .bind(at),
    db.$client.prepare('DELETE FROM challenges WHERE expires_at < ?1').bind(at),
    db.$client.prepare('DELETE FROM links WHERE expires_at < ?1').bind(stamp(plusSeconds(now, -keptLinkDays * 86_400))),
    db.$client.prepare('DELETE FROM sessions WHERE expires_at < ?1').bind(at),
  ])
}
