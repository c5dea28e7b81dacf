import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusDays, toDay } from '../../db/time'
import { literal } from '../../db/values'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { listComparisons } from '../../domain/query/ast'
import { listEpssModels, toSeen, type EpssModel } from '../../domain/scores/epss-models'
import { joinSome } from '../../domain/words/short-lists'
import type { Env } from '../../env'
import { Failure } from '../../http/errors'
import { notice } from '../../mail/notice'
import { queueAllowed } from '../../mail/outbox'
import { seenEpssModels } from '../../schema/feeds'
import { members } from '../../schema/orgs'
import { queryOfFilters, readSavedQuery } from '../../vulns/query'
import { labelRoute } from '../channels/words'
import { takeTurns } from './turns'

/** Later, the owner of such a rule made it, or knows. */
const newsDays = 14
/** Members of a night; the next one takes the others. */
const maxTold = 200

type Owner = Owned & { org_id: number; user_id: number }
type Owned = {
  email: string
  org_name: string
  /** JSON of the routes with a rule by probability, for who manages alerts; of [name, query] of the own views; a number. */
  routes: string
  views: string
  snoozes: number
}

/** Tells each member once of a new model of EPSS what of theirs goes by a probability: alert rules, saved views, snoozes. */
export async function tellEpssModel(env: Env, db: Db, now: Date) {
  const [feed] = await db.all<{ seen: string | null }>(sql`SELECT ${seenEpssModels} AS seen`)
  const seen = toSeen(feed?.seen)
  const model = listEpssModels(seen).at(-1)
  // The first file that we read replaced none.
  if (!model || seen.length < 2 || model.since < toDay(plusDays(now, -newsDays))) return
  const owners = await findOwners(db, model.since)
  return takeTurns(env, db, owners, (owner) => tellOwner(env, db, { owner, model }, now))
}

async function tellOwner(env: Env, db: Db, { owner, model }: { owner: Owner; model: EpssModel }, now: Date) {
  const { org_id, user_id } = owner
  const mail = await epssModelNotice(env, owner, model)
  if (!mail) return
  const mark = db
    .update(members)
    .set({ epss_model_told: model.since })
    .where(
      and(eq(members.org_id, org_id), eq(members.user_id, user_id), sql`${members.epss_model_told} < ${model.since}`),
    )
  await db.$client.batch([statement(db, mark), queueAllowed(db, { org_id, ...mail }, now)])
}

const byProbability = (rules: 's' | 'c') => sql.raw(`${rules}.on_epss = 1 AND ${rules}.epss_value NOT LIKE '%th'`)

/** In no order: those of whom nothing goes by a probability must not stand before the others. */
const findOwners = (db: Db, since: string) =>
  db.all<Owner>(sql`
    SELECT * FROM (
      SELECT m.org_id, m.user_id, u.email, o.name AS org_name,
        CASE WHEN m.is_admin OR m.manage_alert_email THEN (SELECT json_group_array(channel) FROM (
          SELECT 'email' AS channel FROM alert_settings s WHERE s.org_id = m.org_id AND ${byProbability('s')}
          UNION ALL SELECT c.channel FROM alert_channels c WHERE c.org_id = m.org_id AND c.channel <> 'email'
            AND (c.secrets <> '' OR c.addresses <> '[]') AND ${byProbability('c')})) ELSE '[]' END AS routes,
        (SELECT json_group_array(json_array(v.name, v.query)) FROM saved_views v
          WHERE v.org_id = m.org_id AND v.user_id = m.user_id AND v.updated_at < ${since} AND v.query LIKE '%epss%') AS views,
        (SELECT count(*) FROM decisions d WHERE d.org_id = m.org_id AND d.user_id = m.user_id AND d.scope = 'alerts'
          AND d.ended_at IS NULL AND d.epss_above IS NOT NULL AND d.decided_at < ${since}) AS snoozes
      FROM members m JOIN users u ON u.id = m.user_id JOIN orgs o ON o.id = m.org_id
      WHERE m.epss_model_told < ${since} AND m.is_active = 1 AND u.is_active = 1 AND u.email_verified_at IS NOT NULL
        AND o.is_active = 1 AND o.removal_at IS NULL AND (o.trial_ends_at IS NULL OR o.trial_ends_at > ${since}))
    WHERE routes <> '[]' OR views <> '[]' OR snoozes > 0 ORDER BY random() LIMIT ${literal(maxTold)}`)

/** A view that can no longer be read, or is too long now, asks for nothing. */
function asksForEpss(query: string) {
  const filters = readSavedQuery(query)
  try {
    return filters !== null && listComparisons(queryOfFilters(filters)).some(({ field }) => field === 'epss')
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

export async function epssModelNotice(env: Env, { email, org_name, ...owner }: Owned, { name, since }: EpssModel) {
  const routes = JSON.parse(owner.routes) as RouteName[]
  const views = (JSON.parse(owner.views) as [name: string, query: string][]).filter(([, query]) => asksForEpss(query))
  const rules = [
    ...(routes.length ? [`Alert rules of the receivers ${joinSome(routes.map(labelRoute), 5)}.`] : []),
    ...(views.length
      ? [
          `Your saved views ${joinSome(
            views.map(([view]) => `“${view}”`),
            5,
          )}.`,
        ]
      : []),
    ...(owner.snoozes ? [`Snoozed until EPSS is above a probability: ${owner.snoozes}.`] : []),
  ]
  if (!rules.length) return null
  return notice({
    to: email,
    kind: 'epss_model',
    title: `${org_name}: EPSS has a new model`,
    paragraphs: [
      `FIRST computes EPSS by another model (${name}) since ${since}. The same probability may now fit more vulnerabilities, or fewer, and these go by a probability:`,
      ...rules,
      'Look at what they find now. A percentile keeps its meaning from one model to the next: each of them can go by one.',
    ],
    action: routes.length
      ? { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` }
      : { label: 'Vulnerabilities', url: `${env.APP_URL}/vulns` },
    footer: `This was sent to ${email} once, because you made or manage these in ${org_name} on Earshot.`,
  })
}
