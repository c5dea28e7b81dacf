import { sql } from 'drizzle-orm'
import { html } from '../../http/html'
import type { Db } from '../../db/open'
import { stamp, toDay } from '../../db/time'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { findQuietEnd, type QuietTimes } from '../../domain/alerts/alert-times'
import { localTime } from '../../domain/alerts/report-times'
import { findEndStage, type EndStage } from '../../domain/versions/end-of-life'
import type { Env } from '../../env'
import { compareText } from '../../domain/versions/orders/order'
import { describeRunning, findRunningSupports, groupByRelease } from '../../exposure/running-releases'
import type { RunningRelease } from '../../exposure/running-releases'
import { queueMail } from '../../mail/outbox'
import { findSupportChats, queueRemark } from '../deliver/summaries'
import { findReceivers } from '../rota/duty'
import { toRemark, writeAddressMails, type News } from './address-mails'
import { dailyTurns, takeTurns, writeTurn } from './turns'

/** Of an organization and a day, what ends first; the next day takes the others. */
const toldAtOnce = 100

const daily = dailyTurns('support_turn_at', 'on_end_of_life')
type Turn = Awaited<ReturnType<typeof daily.find>>[number]

/** Releases whose support ends in 90 or 30 days, or ended, are told each day at the hour of the organization's reports; each release and day once. */
export async function tellSupportEnds(env: Env, db: Db, now: Date) {
  await takeTurns(env, db, await daily.find(db, now), (turn) => tellOrg(env, db, turn, now))
}

async function tellOrg(env: Env, db: Db, turn: Turn, now: Date) {
  const { org_id, time_zone } = turn
  const ends = await findUntold(db, org_id, localTime(time_zone || 'UTC', now))
  const messages = ends.length ? await writeMessages(env, db, { turn, ends }, now) : []
  // Without a receiver nobody was told, and a later receiver is told.
  const told = (messages.length ? ends : []).map(
    ({
      lifecycle_id,
      support: { release },
      stage,
    }) => sql`INSERT INTO support_told(org_id, lifecycle_id, release, ends_on, stage, told_at)
      VALUES (${org_id}, ${lifecycle_id}, ${release.name}, ${release.fixes_until}, ${stage}, ${stamp(now)})`,
  )
  await writeTurn(db, 'support told', [daily.pass(turn, 'support told', now), ...told], messages)
}

type Ending = RunningRelease & { stage: EndStage }

/** Releases that run and whose end is news, of which it was not told, as they are on the day of the organization's own clock. */
async function findUntold(db: Db, org_id: number, local: Date): Promise<Ending[]> {
  const today = toDay(local)
  const [running, told] = await Promise.all([
    findRunningSupports(db, org_id, local),
    db.values(sql`SELECT t.lifecycle_id, t.release, t.ends_on, t.stage FROM support_told t WHERE t.org_id = ${org_id}`),
  ])
  const known = new Set(told.map((key) => JSON.stringify(key)))
  return groupByRelease(running)
    .flatMap((found): Ending[] => {
      const { name, fixes_until } = found.support.release
      const stage = fixes_until ? findEndStage(fixes_until, today) : null
      const isNews = stage !== null && !known.has(JSON.stringify([found.lifecycle_id, name, fixes_until, stage]))
      return isNews ? [{ ...found, stage }] : []
    })
    .toSorted((a, b) => compareText(a.support.release.fixes_until ?? '', b.support.release.fixes_until ?? ''))
    .slice(0, toldAtOnce)
}

/** It is not urgent: quiet hours of a receiver keep it until they end. */
async function writeMessages(env: Env, db: Db, { turn, ends }: { turn: Turn; ends: Ending[] }, now: Date) {
  const { org_id, org_name } = turn
  const news = describeEnds(env, org_name, ends)
  const [chats, mails] = await Promise.all([findSupportChats(db, org_id), writeMails(env, db, { turn, news }, now)])
  const remark = toRemark(news)
  return [
    ...mails,
    ...chats.map((chat) =>
      queueRemark(db, { org_id, channel: chat.channel, due: findQuietEnd(chat, now) }, remark, now),
    ),
  ]
}

async function writeMails(env: Env, db: Db, { turn, news }: { turn: Turn; news: News }, now: Date) {
  const { org_id } = turn
  const routes = await db.all<QuietTimes & { channel: RouteName }>(sql`
    SELECT 'email' AS channel, s.quiet_from, s.quiet_to, s.zone FROM alert_settings s WHERE s.org_id = ${org_id} AND s.on_end_of_life = 1
    UNION ALL SELECT c.channel, c.quiet_from, c.quiet_to, c.zone FROM alert_channels c
      WHERE c.org_id = ${org_id} AND c.channel LIKE 'email-%' AND c.on_end_of_life = 1 AND c.disabled_at IS NULL`)
  const places = routes.map(({ channel }) => ({ org_id, channel }))
  const receivers = await findReceivers(db, places, now)
  // A receiver on several routes gets it by the first.
  const latestFirst = routes
    .map((route) => ({ channel: route.channel, due: findQuietEnd(route, now) }))
    .toSorted((a, b) => b.due.getTime() - a.due.getTime())
  const dues = new Map(
    latestFirst.flatMap(({ channel, due }) => {
      const targets = receivers.find((receiver) => receiver.channel === channel)?.targets ?? []
      return targets.map((email) => [email, due] as const)
    }),
  )
  const mails = await writeAddressMails(env, db, { ...turn, emails: [...dues.keys()] }, news)
  return mails.map((mail) => queueMail(db, { org_id, ...mail }, now, dues.get(mail.to)))
}

export const describeEnds = (env: Env, org_name: string, ends: RunningRelease[]) => ({
  kind: 'support_ends',
  subject: `support ends for ${nameReleases(ends)}`,
  title: `${org_name}: the end of support`,
  preview: 'For what is no longer supported no fix will come. Dates are those of endoflife.date.',
  link: { label: 'Open what is monitored', url: `${env.APP_URL}/monitoring` },
  items: ends.map(describeRunning).map((line) => ({ html: html`${line}`, text: line })),
})

function nameReleases(ends: RunningRelease[]) {
  const [first] = ends
  const more = ends.length - 1
  return `${first?.support.product.label} ${first?.support.release.label}${more ? ` and ${more} more` : ''}`
}
