import { and, eq, getTableColumns, or, sql } from 'drizzle-orm'
import * as z from 'zod'
import { readyAuditBy, type AuditedWrite } from '../../auth/audited-by'
import { abort, refuseBeyond } from '../../db/guard'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { findKind, usualDaily, type RouteName } from '../../domain/alerts/alert-rules'
import { isOverspent } from '../../mail/allowance'
import { findUnconfirmed, readyConfirmations, tooManyAddresses } from '../../orgs/alert-addresses'
import type { By } from '../../orgs/managed-orgs'
import type { ChannelRow } from './contract'
import { alertChannels, alertEscalations, alertSettings, isRoute, type RoutePlace } from '../../schema/alerts'

const Hints = z.record(z.string(), z.string())

export type StoredChannel = Omit<typeof alertChannels.$inferSelect, 'org_id'>

export async function findChannels(db: Db, org_id: number): Promise<Map<RouteName, StoredChannel>> {
  const { org_id: _, ...columns } = getTableColumns(alertChannels)
  const stored = await db.select(columns).from(alertChannels).where(eq(alertChannels.org_id, org_id))
  return new Map(stored.map((row) => [row.channel, row]))
}

type Lists = 'groups' | 'inventories' | 'views' | 'verdicts'
export const readLists = (row: Pick<StoredChannel, Lists>) => ({
  groups: JSON.parse(row.groups) as string[],
  inventories: JSON.parse(row.inventories) as number[],
  views: JSON.parse(row.views) as number[],
  verdicts: JSON.parse(row.verdicts) as ChannelRow['verdicts'],
})

export const readHints = (row: Pick<StoredChannel, 'hints'> | undefined) => Hints.parse(JSON.parse(row?.hints ?? '{}'))

export type SettingsColumns = Partial<Omit<typeof alertSettings.$inferSelect, 'org_id'>>
export type ChannelColumns = Partial<Omit<StoredChannel, 'channel'>>

/** Writes only the named columns, so that two people who save different things at once both keep theirs. */
export const writeSettings = (db: Db, org_id: number, change: SettingsColumns) =>
  statement(
    db,
    db
      .insert(alertSettings)
      .values({ org_id, ...change })
      .onConflictDoUpdate({ target: alertSettings.org_id, set: change }),
  )

/** As `writeSettings` does. */
export const writeChannel = (db: Db, place: RoutePlace, change: ChannelColumns) =>
  statement(db, insertChannel(db, place, change).onConflictDoUpdate({ target: routeKey, set: change }))

const routeKey = [alertChannels.org_id, alertChannels.channel]
const insertChannel = (db: Db, place: RoutePlace, change: ChannelColumns = {}) =>
  db.insert(alertChannels).values({ ...place, daily_max: usualDaily[findKind(place.channel)], ...change })

/** Next route of urgent alerts; none when `next` is empty. */
export function writeEscalation(db: Db, place: RoutePlace, next: RouteName | '', minutes: number) {
  const { org_id, channel } = alertEscalations
  const isIt = and(eq(org_id, place.org_id), eq(channel, place.channel))
  if (next === '') return statement(db, db.delete(alertEscalations).where(isIt))
  const insert = db.insert(alertEscalations).values({ ...place, next, minutes })
  return statement(db, insert.onConflictDoUpdate({ target: [org_id, channel], set: { next, minutes } }))
}

/** For the batch that removes a route: from and to it. */
export const deleteEscalations = (db: Db, place: RoutePlace) => {
  const { org_id, channel, next } = alertEscalations
  const isAny = or(eq(channel, place.channel), eq(next, place.channel))
  return statement(db, db.delete(alertEscalations).where(and(eq(org_id, place.org_id), isAny)))
}

/** For the batch that adds a route, and before it: undoes it where somebody took the name meanwhile. */
export function takeRoute(db: Db, place: RoutePlace) {
  const { secrets, addresses } = alertChannels
  const taken = sql`CASE WHEN ${secrets} = '' AND ${addresses} = '[]' THEN '' ELSE ${abort('route')} END`
  return statement(db, insertChannel(db, place).onConflictDoUpdate({ target: routeKey, set: { secrets: taken } }))
}

/** For the end of the batch that adds a route. */
export const refuseTooManyRoutes = (db: Db, org_id: number, limit: number) =>
  statement(
    db,
    refuseBeyond(
      sql`SELECT (SELECT count(*) FROM alert_channels WHERE org_id = ${org_id} AND (secrets <> '' OR addresses <> '[]'))
        + coalesce((SELECT alerts_emails <> '[]' FROM alert_settings WHERE org_id = ${org_id}), 0)`,
      limit,
    ),
  )

export const deleteChannel = (db: Db, place: RoutePlace) =>
  statement(db, db.delete(alertChannels).where(isRoute(place)))

/** Needed to save receivers; read in one trip with all else that is read in this turn. */
export async function readySave(db: Db, emails: string[], by: By) {
  const { org_id } = by.actor
  const [channels, unconfirmed, confirm, write] = await Promise.all([
    findChannels(db, org_id),
    findUnconfirmed(db, org_id, emails),
    readyConfirmations(db, by),
    readyAuditBy(db, by),
  ])
  return {
    channels,
    confirm: (added: string[]) => confirm(unconfirmed.filter((email) => added.includes(email))),
    write: (...written: Parameters<AuditedWrite>) =>
      write(...written).catch((error: unknown) => {
        throw isOverspent(error) ? tooManyAddresses() : error
      }),
  }
}
