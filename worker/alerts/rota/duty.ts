import { sql } from 'drizzle-orm'
import { noteError } from '../../db/error-text'
import type { Db } from '../../db/open'
import { findOnDuty, Rota } from '../../domain/alerts/rota'
import type { RoutePlace } from '../../schema/alerts'
import { mayReceive } from '../recipients'

export const readStoredRota = (stored: string) => (stored === '' ? null : Rota.parse(JSON.parse(stored)))

/** Proved addresses, in lower case, of the active members of organizations. */
export async function findReachable(db: Db, org_ids: number[]) {
  if (!org_ids.length) return new Map<number, Map<number, string>>()
  const found = await db.all<{ org_id: number; user_id: number; email: string }>(sql`
    SELECT m.org_id, m.user_id, lower(u.email) AS email
    FROM (SELECT DISTINCT value AS org_id FROM json_each(${JSON.stringify(org_ids)})) o
      CROSS JOIN members m ON m.org_id = o.org_id AND m.is_active = 1
      CROSS JOIN users u ON u.id = m.user_id AND u.is_active = 1 AND u.email_verified_at IS NOT NULL AND u.email <> ''`)
  const byOrg = Map.groupBy(found, ({ org_id }) => org_id)
  return new Map(
    [...byOrg].map(([org_id, members]) => [org_id, new Map(members.map(({ user_id, email }) => [user_id, email]))]),
  )
}

/** One that can be read no longer, as its zone has gone, keeps nobody's mails back. */
function readRotaIfAny(stored: string) {
  try {
    return readStoredRota(stored)
  } catch (error) {
    noteError({ job: 'read_rota' }, error)
    return null
  }
}

/** The address of who is on duty; null where nobody is, or without a rota that can be read. */
export function findDutyAddress(stored: string, reachable: Map<number, string> | undefined, now: Date) {
  const rota = readRotaIfAny(stored)
  const user_id = rota && findOnDuty(rota, (id) => reachable?.has(id) === true, now)
  return (user_id !== null && reachable?.get(user_id)) || null
}

/** Receivers of the mails of routes now: the member on duty, or else the addresses of the route that may be written to. */
export async function findReceivers(db: Db, places: RoutePlace[], now: Date) {
  const entries = places.map(({ org_id, channel }) => [org_id, channel])
  const found = await db.all<RoutePlace & { rota: string; confirmed: string }>(sql`
    SELECT s.org_id, s.channel, coalesce(c.rota, '') AS rota, (SELECT json_group_array(DISTINCT lower(e.value))
      FROM json_each(iif(s.channel = 'email', a.alerts_emails, coalesce(c.addresses, '[]'))) e WHERE ${mayReceive}) AS confirmed
    FROM (SELECT value ->> 0 AS org_id, value ->> 1 AS channel FROM json_each(${JSON.stringify(entries)})) s
      JOIN alert_settings a ON a.org_id = s.org_id LEFT JOIN alert_channels c ON c.org_id = s.org_id AND c.channel = s.channel`)
  const onRota = found.filter(({ rota }) => rota !== '')
  const org_ids = onRota.map(({ org_id }) => org_id)
  const reachable = await findReachable(db, org_ids)
  return found.map(({ org_id, channel, rota, confirmed }) => {
    const on_duty = findDutyAddress(rota, reachable.get(org_id), now)
    const targets = on_duty ? [on_duty] : (JSON.parse(confirmed) as string[])
    return { org_id, channel, targets, isUnmanned: rota !== '' && !on_duty }
  })
}

/** Whether a mail goes to an address of its route because nobody is on duty by the rota. */
export async function isStandIn(db: Db, { target, org_id, channel }: RoutePlace & { target: string }, now: Date) {
  if (!channel.startsWith('email-')) return false
  const [receiver] = await findReceivers(db, [{ org_id, channel }], now)
  return receiver !== undefined && receiver.isUnmanned && receiver.targets.includes(target)
}
