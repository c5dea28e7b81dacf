import { Failure, notFound } from '../http/errors'
import { paged } from '../http/page'
import { route } from '../http/route'
import { listRuns, listSkips, listSources, runSync, syncInfo, syncTriggers, syncYearTriggers } from './contract'
import type { Topic } from './contract'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { startRun } from './run/drive'
import { findFeeds, findRuns, findSkips } from './run/queries'
import { feedsOn, findFeed, registeredFeeds, scheduledFeeds } from './run/registry'
import type { Feed } from './source/feed'

type Request = { env: Env; db: Db; now: Date }

export const feedRoutes = [
  route(syncInfo).handle(async ({ db, env, now }) => ({ feeds: await findFeeds(env, db, now) })),

  route(listSources).handle(() => ({
    sources: registeredFeeds.map(({ id, label, lists_exploits }) => ({ id, label, lists_exploits })),
  })),

  route(runSync).handle((request) => {
    const { env, query } = request
    if (query.feed === undefined) return startFeeds(request, scheduledFeeds(env))
    const feed = findFeed(query.feed)
    if (!feed) throw notFound('Feed')
    if (!feed.originIn(env)) throw new Failure(409, 'off', 'This feed is switched off: it has no address')
    return startFeeds(request, [feed])
  }),

  route(listSkips).handle(async ({ db, url, query }) => paged(url, query, await findSkips(db, query))),

  route(listRuns).handle(async ({ db, query }) => ({ runs: await findRuns(db, query) })),

  ...syncTriggers.map(({ contract, topic }) => route(contract).handle((request) => startTopic(request, topic))),

  ...syncYearTriggers.map((contract) => route(contract).handle((request) => startTopic(request, 'cves'))),
]

const startTopic = (request: Request, topic: Topic) =>
  startFeeds(
    request,
    feedsOn(request.env).filter(({ topics }) => topics.includes(topic)),
  )

async function startFeeds({ env, db, now }: Request, feeds: Feed[]) {
  for (const { id } of feeds) await startRun(env, db, id, now)
  return { status: 'enqueued' as const, feeds: feeds.map(({ id }) => id) }
}
