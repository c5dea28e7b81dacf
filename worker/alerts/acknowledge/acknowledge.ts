import { and, eq, isNull, sql } from 'drizzle-orm'
import { getActorName, readyAuditBy, type By } from '../../auth/audited-by'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusDays, stamp, toDay } from '../../db/time'
import { notFound } from '../../http/errors'
import { alerts } from '../../schema/alerts'
import { vulns } from '../../schema/vulns'
import { getDataKey, sign } from '../../auth/data-keys'
import { audited } from '../../auth/audit'
import { alwaysBits, RouteName, urgentBits } from '../../domain/alerts/alert-rules'
import { findSnooze } from '../../decisions/quiet'
import { writeDecisions } from '../../decisions/write'
import type { Env } from '../../env'
import type { Client } from '../../http/route'
import type { AlertLinks } from '../channels/facts'
import { labelRoute } from '../channels/words'
import { mayReach } from '../recipients'

type AlertPlace = { org_id: number; alert_id: number; vuln_id: number; name: string }

async function findAlertPlace(db: Db, org_id: number, alert_id: number): Promise<AlertPlace | null> {
  const row = await db
    .select({ vuln_id: alerts.vuln_id, name: sql<string>`coalesce(${vulns.cveid}, 'PH-' || ${vulns.id})`.as('name') })
    .from(alerts)
    .innerJoin(vulns, eq(vulns.id, alerts.vuln_id))
    .where(and(eq(alerts.id, alert_id), eq(alerts.org_id, org_id)))
    .get()
  return row ? { org_id, alert_id, ...row } : null
}

/** The first acknowledgement stays. */
const acknowledgeStatement = (db: Db, { org_id, alert_id }: AlertPlace, { by, now }: { by: string; now: Date }) =>
  statement(
    db,
    db
      .update(alerts)
      .set({ acknowledged_at: stamp(now), acknowledged_by: by })
      .where(and(eq(alerts.id, alert_id), eq(alerts.org_id, org_id), isNull(alerts.acknowledged_at))),
  )

/** Somebody has seen the alert: it goes to no further route. */
export async function acknowledgeAlert(db: Db, alert_id: number, by: By) {
  const [place, name, write] = await Promise.all([
    findAlertPlace(db, by.actor.org_id, alert_id),
    getActorName(db, by.actor),
    readyAuditBy(db, by),
  ])
  if (!place) throw notFound('Alert')
  const acknowledging = acknowledgeStatement(db, place, { by: name, now: by.now })
  await write([acknowledging], { action: 'alert.acknowledge', target: place.name, detail: {} })
}

/** A link holds so long after its alert was made. */
const linkDays = 14
const snoozeDays = 7

type LinkAction = keyof AlertLinks
/** `told`: bits of what its message told; `target`: the address that got a mail. */
type Bound = { org_id: number; alert_id: number; route: RouteName; last_day: string; told: string; target: string }
type Key = Awaited<ReturnType<typeof getDataKey>>

/** Links in a message: each lets its holder do this one thing, for this one alert. */
export async function signLinks(
  env: Env,
  db: Db,
  alert: { id: number; org_id: number; at: string },
  { channel, told, target }: { channel: RouteName; told: number; target: string },
) {
  const key = await getDataKey(env, db, 'alert_mails')
  const last_day = toDay(plusDays(new Date(alert.at), linkDays))
  const bound = { org_id: alert.org_id, alert_id: alert.id, route: channel, last_day, told: String(told), target }
  const link = async (action: LinkAction) =>
    `${env.APP_URL}/public/alerts/${action}/${await writeToken(key, action, bound)}`
  return { acknowledge: await link('acknowledge'), snooze: await link('snooze') }
}

async function writeToken(key: Key, action: LinkAction, { org_id, alert_id, route, last_day, told, target }: Bound) {
  const bound = [action, org_id, alert_id, route, last_day, told, target].filter((part) => part !== '')
  return [org_id, alert_id, route, last_day, ...(told && [told]), await sign(key, bound.join(' '))].join('.')
}

type Following = { env: Env; client: Client; now: Date }

async function readToken(db: Db, action: LinkAction, token: string, { env, now }: Pick<Following, 'env' | 'now'>) {
  const read =
    /^(\d{1,15})\.(\d{1,15})\.([a-z]{1,20}(?:-\d{1,2})?)\.(\d{4}-\d\d-\d\d)\.(?:(\d{1,6})\.)?[\w-]{20,100}$/.exec(token)
  const [, org = '', alert = '', name = '', last_day = '', told = ''] = read ?? []
  const route = RouteName.safeParse(name).data
  if (!route || last_day < toDay(now)) return null
  const bound = { org_id: Number(org), alert_id: Number(alert), route, last_day, told }
  const key = await getDataKey(env, db, 'alert_mails')
  const holders = await findHolders(db, bound, now)
  // Mails from before links named theirs have no address, nor what they told.
  for (const target of new Set(holders.flatMap((holder) => [holder.target, ''])))
    if ((await writeToken(key, action, { ...bound, target })) === token)
      return told && holders.some((holder) => holder.target === target && hasJoined(holder, Number(told)))
        ? null
        : bound
  return null
}

type Holder = { target: string; told: number; fired: number }

/** Something urgent joined the alert after the message: another one tells of it. */
const hasJoined = (other: Holder, told: number) => (other.told | (other.fired & alwaysBits)) & urgentBits & ~told

/** Links work for whoever may take the message still, and for none where members may change nothing. */
const findHolders = (db: Db, { org_id, alert_id, route }: Pick<Bound, 'org_id' | 'alert_id' | 'route'>, now: Date) =>
  db.all<Holder>(sql`
    SELECT d.target, d.told, a.fired FROM deliveries d JOIN alerts a ON a.id = d.alert_id
    JOIN orgs o ON o.id = d.org_id AND o.is_active = 1 AND (o.trial_ends_at IS NULL OR o.trial_ends_at >= ${stamp(now)})
    LEFT JOIN alert_settings s ON s.org_id = d.org_id LEFT JOIN alert_channels c ON c.org_id = d.org_id AND c.channel = d.channel
    WHERE d.alert_id = ${alert_id} AND d.channel = ${route} AND d.org_id = ${org_id} AND ${mayReach}`)

/** The alert of a link, for the page that asks; null where it is not valid. */
export const findLinked = async (...asked: Parameters<typeof openLink>) => (await openLink(...asked))?.name ?? null

async function openLink(db: Db, action: LinkAction, token: string, by: Pick<Following, 'env' | 'now'>) {
  const bound = await readToken(db, action, token, by)
  const place = bound && (await findAlertPlace(db, bound.org_id, bound.alert_id))
  return place && { ...place, route: bound.route }
}

/** The vulnerability of the alert, if the link is valid; a second click works like the first. */
export async function followLink(db: Db, action: LinkAction, token: string, by: Following) {
  const place = await openLink(db, action, token, by)
  if (!place) return null
  const { org_id } = place
  const actor = `a link sent by ${labelRoute(place.route)}`
  const statements = [acknowledgeStatement(db, place, { by: actor, now: by.now })]
  if (action === 'snooze' && !(await isQuietNow(db, org_id, place.vuln_id, by.now)))
    statements.push(...snoozeStatements(db, { org_id, vuln_id: place.vuln_id, actor }, by.now))
  const entry = { org_id, actor_id: null, actor, action: `alert.${action}` as const, target: place.name }
  await audited(db, statements, entry, by)
  return place.vuln_id
}

/** A snooze or an accepted risk that lasts stays as it was decided. */
async function isQuietNow(db: Db, org_id: number, vuln_id: number, now: Date) {
  const found = await findSnooze(db, org_id, vuln_id, now)
  return found !== null && found.woken_by === null
}

function snoozeStatements(
  db: Db,
  { org_id, vuln_id, actor }: { org_id: number; vuln_id: number; actor: string },
  now: Date,
) {
  const decision = {
    verdict: 'snoozed' as const,
    last_day: toDay(plusDays(now, snoozeDays - 1)),
    on_kev: true,
    on_exploit: true,
    note: `By ${actor}`,
    decided_at: stamp(now),
  }
  return writeDecisions(db, 'alerts', [{ vuln_id, decision }], { org_id, user_id: null, now })
}
