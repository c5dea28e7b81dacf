import { sql, type SQL } from 'drizzle-orm'
import type * as z from 'zod'
import { readyAuditBy } from '../../auth/audited-by'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { statement, writeAndRead } from '../../db/statement'
import { stamp } from '../../db/time'
import { findKind, type RouteName } from '../../domain/alerts/alert-rules'
import { findOnDuty, listTurns, Rota } from '../../domain/alerts/rota'
import { invalid, notFound } from '../../http/errors'
import type { By } from '../../orgs/managed-orgs'
import { alertChannels, isRoute } from '../../schema/alerts'
import type { RotaView, setRota } from './contract'
import { findReachable, readStoredRota } from './duty'

type RotaChange = z.output<NonNullable<typeof setRota.body>>

/** After the one that runs. */
const shownWeeks = 4

/** Only a further receiver of mails has one: the contact e-mails are of the settings. */
async function getStored(db: Db, org_id: number, route: RouteName) {
  const { rota, addresses } = alertChannels
  const stored = db.select({ rota, addresses }).from(alertChannels)
  const found = await stored.where(isRoute({ org_id, channel: route })).get()
  if (!found || route === 'email' || findKind(route) !== 'email') throw notFound('Receiver of mails')
  return { rota: readStoredRota(found.rota), addresses: JSON.parse(found.addresses) as string[] }
}

const listPeople = ({ people = [], swaps = [] }: Partial<Rota>) => [...people, ...swaps.map(({ user_id }) => user_id)]

/** People of a stored rota, of whom some may be members no more. */
const isListed = (org_id: number, route: RouteName) => {
  const stored = (path: string) => sql`alert_channels c CROSS JOIN json_each(iif(c.rota = '', '{}', c.rota), ${path}) p
    WHERE c.org_id = ${org_id} AND c.channel = ${route}`
  return sql`u.id IN (SELECT p.value FROM ${stored('$.people')} UNION SELECT p.value ->> 'user_id' FROM ${stored('$.swaps')})`
}

/** Active members, and of these people who was one. */
const findMembers = (db: Db, org_id: number, route: RouteName) =>
  db.all<{ id: number; name: string; is_active: number }>(sql`
    SELECT u.id, u.username AS name, m.is_active AND u.is_active AS is_active FROM members m CROSS JOIN users u ON u.id = m.user_id
    WHERE m.org_id = ${org_id} AND (m.is_active = 1 AND u.is_active = 1 OR ${isListed(org_id, route)})
    ORDER BY lower(u.username)`)

export async function viewRota(db: Db, org_id: number, route: RouteName, now: Date): Promise<RotaView> {
  const read = Promise.all([findMembers(db, org_id, route), findReachable(db, [org_id])])
  const [{ rota, addresses }, [members, reachable]] = await beside(getStored(db, org_id, route), read)
  const ids = rota ? listPeople(rota) : []
  const canTake = (id: number) => reachable.get(org_id)?.has(id) === true
  const names = new Map(members.map(({ id, name }) => [id, name]))
  const toPerson = (id: number | null) => (id === null ? null : { id, name: names.get(id) ?? '' })
  const gone = [...new Set(ids)].filter((id) => !names.has(id)).map((id) => ({ id, name: 'Left' }))
  return {
    rota,
    on_duty: rota && toPerson(findOnDuty(rota, canTake, now)),
    turns: rota
      ? listTurns(rota, canTake, now, shownWeeks).map(({ from, to, user_id, usual_id }) => {
          return { from, to, person: toPerson(user_id), usual: toPerson(usual_id) }
        })
      : [],
    members: [...members, ...gone].map(({ id, name }) => ({ id, name, is_reachable: canTake(id) })),
    addresses,
  }
}

/** Writes only the named parts, so that two people who change different ones both keep theirs. */
export async function saveRota(db: Db, route: RouteName, change: RotaChange, by: By) {
  const { org_id } = by.actor
  const reading = Promise.all([findMembers(db, org_id, route), readyAuditBy(db, by)])
  const [{ rota: stored }, [members, write]] = await beside(getStored(db, org_id, route), reading)
  const read = Rota.safeParse({ zone: 'UTC', hour: 8, swaps: [], ...stored, ...change })
  if (!read.success) throw invalid(read.error.issues)
  const known = new Set(stored ? listPeople(stored) : [])
  for (const { id } of members) known.add(id)
  if (listPeople(change).some((id) => !known.has(id)))
    throw invalid([{ path: [change.people ? 'people' : 'swaps'], message: 'There is no such member' }])
  const swaps = change.swaps?.filter(({ to }) => to > stamp(by.now))
  const written = JSON.stringify({ ...(stored ? change : read.data), ...(swaps && { swaps }) })
  const rota = sql`json_patch(iif(rota = '', '{}', rota), ${written})`
  const entry = { action: 'channel.update' as const, target: route, detail: { rota: change } }
  return writeAndRead(
    db,
    (reads) => write([rotaStatement(db, org_id, route, rota), ...reads], entry),
    (after) => viewRota(after, org_id, route, by.now),
  )
}

export async function endRota(db: Db, route: RouteName, by: By) {
  const { org_id } = by.actor
  const [, write] = await beside(getStored(db, org_id, route), readyAuditBy(db, by))
  const entry = { action: 'channel.update' as const, target: route, detail: { rota: null } }
  await write([rotaStatement(db, org_id, route, sql`''`)], entry)
}

const rotaStatement = (db: Db, org_id: number, channel: RouteName, rota: SQL) =>
  statement(db, sql`UPDATE alert_channels SET rota = ${rota} WHERE org_id = ${org_id} AND channel = ${channel}`)
