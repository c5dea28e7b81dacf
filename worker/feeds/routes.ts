import { Failure, notFound } from '../http/errors'
import { inPages } from '../http/page'
import { route } from '../http/route'
import {
  lastSync,
  listRuns,
  listSkips,
  listSources,
  runSync,
  syncInfo,
  syncTriggers,
  syncYearTriggers,
} from './contract'
import type { Topic } from './contract'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { readyForAll } from '../orgs/operator-log'
import { startRuns } from './run/drive'
import { findFeeds, findLastRun, findRuns, findSkips } from './run/queries'
import { feedsOn, findFeed, registeredFeeds, scheduledFeeds } from './run/registry'
import type { Feed } from './source/feed'

type Request = By & { db: Db }

export const feedRoutes = [
  route(syncInfo).handle(async ({ db, env, now }) => ({ feeds: await findFeeds(env, db, now) })),

  route(listSources).handle(() => ({
    sources: registeredFeeds.map(({ id, label, lists_exploits }) => ({ id, label, lists_exploits })),
  })),

  route(runSync).handle((request) => {
    const { feed, model } = request.query
    if (feed !== undefined) return startFeed(request, feed)
    if (model === undefined) return startFeeds(request, scheduledFeeds(request.env))
    const topic = topicsOfModels.get(model)
    return topic ? startTopic(request, topic) : startFeed(request, model)
  }),

  route(lastSync).handle(async ({ db }) => (await findLastRun(db)) ?? {}),

  route(listSkips).handle(inPages(({ db, query }) => findSkips(db, query))),

  route(listRuns).handle(async ({ db, query }) => ({ runs: await findRuns(db, query) })),

  ...syncTriggers.map(({ contract, topic }) => route(contract).handle((request) => startTopic(request, topic))),

  ...syncYearTriggers.map((contract) => route(contract).handle((request) => startTopic(request, 'cves'))),
]

/** The tables of the product that older clients know, by what fills them here. */
const topicsOfModels = new Map<string, Topic>([
  ['cwe', 'cwes'],
  ['bulletin', 'bulletins'],
  ...['cve', 'vuln', 'package'].map((model): [string, Topic] => [model, 'cves']),
  ...['cpe', 'vendor', 'product', 'product_version'].map((model): [string, Topic] => [model, 'cpes']),
  ...['via', 'exploit', 'threat'].map((model): [string, Topic] => [model, 'vias']),
])

function startFeed(request: Request, id: string) {
  const feed = findFeed(id)
  if (!feed) throw notFound('Feed')
  const { key, originIn } = feed
  if (key && !request.env[key]) throw new Failure(409, 'off', `This feed needs a key: ${key}, a secret of the Worker`)
  if (!originIn(request.env)) throw new Failure(409, 'off', 'This feed is switched off: it has no address')
  return startFeeds(request, [feed])
}

const startTopic = (request: Request, topic: Topic) =>
  startFeeds(
    request,
    feedsOn(request.env).filter(({ topics }) => topics.includes(topic)),
  )

async function startFeeds({ db, ...by }: Request, feeds: Feed[]) {
  const write = await readyForAll(db, by)
  const ids = feeds.map(({ id }) => id)
  const entry = { action: 'feed.run' as const, target: ids.join(', ') }
  await startRuns(by.env, db, ids, { now: by.now, write: (statements) => write(statements, entry) })
  return { status: 'enqueued' as const, feeds: ids }
}
