import { and, eq, gt, isNull, ne, or, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { channelNames, findKind } from '../../domain/alerts/alert-rules'
import { withoutTurns } from '../../domain/people/name'
import type { Env } from '../../env'
import { sendDue } from '../../mail/drive'
import { alertChannels, isRoute, summaries, type RoutePlace } from '../../schema/alerts'
import { orgs } from '../../schema/orgs'
import type { FollowUp, Remark } from '../channels/channel'
import { NotTaken } from '../channels/outgoing'
import { channels } from '../channels/registry'
import { openSecrets } from '../channels/secrets'

const chats = channelNames.filter((kind) => channels[kind].say)

/** Chats of an organization that are switched on, with their rules and quiet hours. */
async function findOpenChats(db: Db, org: number, which: SQL) {
  const { org_id, secrets, disabled_at } = alertChannels
  const isOpen = and(eq(org_id, org), ne(secrets, ''), isNull(disabled_at), which)
  const routes = await db.select().from(alertChannels).where(isOpen)
  return routes.filter(({ channel }) => chats.includes(findKind(channel)))
}

/** They tell whose support ends. */
export const findSupportChats = (db: Db, org_id: number) => findOpenChats(db, org_id, sql`on_end_of_life = 1`)

/** No filter keeps these from what an inventory brings; routes limited to groups or views are told one by one. */
export const findChats = (db: Db, { org_id, id }: { org_id: number; id: number }) =>
  findOpenChats(
    db,
    org_id,
    sql`groups = '[]' AND views = '[]' AND (inventories = '[]' OR EXISTS (SELECT 1 FROM json_each(inventories) WHERE value = ${id}))`,
  )

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
