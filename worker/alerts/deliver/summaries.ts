import { and, eq, gt, isNull, ne, or, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { channelNames, findKind } from '../../domain/alerts/alert-rules'
import { withoutTurns } from '../../domain/people/name'
import type { Env } from '../../env'
import { sendDue } from '../../mail/drive'
import { alertChannels, isRoute, summaries } from '../../schema/alerts'
import { orgs } from '../../schema/orgs'
import type { FollowUp, Remark } from '../channels/channel'
import { NotTaken } from '../channels/outgoing'
import { channels } from '../channels/registry'
import { openSecrets } from '../channels/secrets'
import type { RoutePlace } from '../../schema/alerts'

const chats = channelNames.filter((kind) => channels[kind].say)

/** The routes to chats that tell whose support ends, with their quiet hours. */
export async function findSupportChats(db: Db, org: number) {
  const { channel, org_id, secrets, disabled_at, on_end_of_life, quiet_from, quiet_to, zone } = alertChannels
  const routes = await db
    .select({ channel, quiet_from, quiet_to, zone })
    .from(alertChannels)
    .where(and(eq(org_id, org), ne(secrets, ''), isNull(disabled_at), eq(on_end_of_life, true)))
  return routes.filter((route) => chats.includes(findKind(route.channel)))
}

/** The routes to chats which no filter keeps from what an inventory brings; routes limited to groups or views are told one by one. */
export async function findChats(db: Db, { org_id: org, id }: { org_id: number; id: number }) {
  const { org_id, secrets, disabled_at, groups, views, inventories } = alertChannels
  const isOfAll = and(eq(groups, '[]'), eq(views, '[]'))
  const isOfIt = sql`(${inventories} = '[]' OR EXISTS (SELECT 1 FROM json_each(${inventories}) WHERE value = ${id}))`
  const routes = await db
    .select()
    .from(alertChannels)
    .where(and(eq(org_id, org), ne(secrets, ''), isNull(disabled_at), isOfAll, isOfIt))
  return routes.filter(({ channel }) => chats.includes(findKind(channel)))
}

/** Its message leaves at `due`, or at once. */
type Told = RoutePlace & { due?: Date }

/** Put it in the batch of what it tells of, then kick the deliveries queue. */
export const queueRemark = (db: Db, told: Told, said: Remark, now: Date) => statement(db, insertRemark(told, said, now))

/** Written only when the statement before it changed a row, as a mail that is allowed. */
export const queueSummary = (db: Db, told: Told, said: Remark, now: Date) =>
  statement(db, sql`${insertRemark(told, said, now)} WHERE changes() = 1`)

const insertRemark = ({ org_id, channel, due }: Told, said: Remark, now: Date) =>
  sql`INSERT INTO summaries(org_id, channel, said, status, next_attempt_at, created_at)
    SELECT ${org_id}, ${channel}, ${JSON.stringify(said)}, 'pending', ${stamp(due ?? now)}, ${stamp(now)}`

type ClaimedSummary = RoutePlace & { id: number; attempts: number; said: string }

export const sendSummaries = (env: Env, db: Db, clock: () => Date) =>
  sendDue<ClaimedSummary>(
    env,
    db,
    {
      table: 'summaries',
      columns: sql`id, attempts, org_id, channel, said`,
      lane: ({ org_id }) => org_id,
      send: async ({ org_id, channel, said }, transport) => {
        const stored = await findOpen(db, { org_id, channel }, clock())
        const { say, follow } = channels[findKind(channel)]
        if (!stored) throw new NotTaken('The channel is off or was removed, or its organization is paused')
        const secrets = await openSecrets(env, stored.secrets)
        const [told, line] = [parseSaid(said), { env, db, org_id, secrets, template: '', transport, now: clock() }]
        await ('action' in told ? follow?.(told, line) : say?.(told, line))
      },
      // The ledger asks for some days what became of a remark.
      sent: async ({ id, said }) =>
        'action' in parseSaid(said)
          ? db.delete(summaries).where(eq(summaries.id, id))
          : db.update(summaries).set({ said: '' }).where(eq(summaries.id, id)),
    },
    clock,
  )

function findOpen(db: Db, { org_id, channel }: Told, now: Date) {
  const { secrets, disabled_at } = alertChannels
  const isPaid = or(isNull(orgs.trial_ends_at), gt(orgs.trial_ends_at, stamp(now)))
  return db
    .select({ secrets })
    .from(alertChannels)
    .innerJoin(orgs, eq(orgs.id, alertChannels.org_id))
    .where(and(isRoute({ org_id, channel }), ne(secrets, ''), isNull(disabled_at), eq(orgs.is_active, true), isPaid))
    .get()
}

/** As `queueSummary` and `followIncidents` wrote it. */
const parseSaid = (json: string) => JSON.parse(withoutTurns(json)) as Remark | FollowUp
