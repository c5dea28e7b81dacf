import { Failure } from '../http/errors'
import { paged } from '../http/page'
import { route } from '../http/route'
import { listRuns, listSkips, runSync, syncInfo, syncTriggers, syncYearTriggers } from './contract'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { startRun } from './run/drive'
import { findFeeds, findRuns, findSkips } from './run/queries'
import { feedsOn, scheduledFeeds } from './run/registry'
import type { FeedId } from './run/registry'

export const feedRoutes = [
  route(syncInfo).handle(async ({ db, env, now }) => ({ feeds: await findFeeds(env, db, now) })),

  route(runSync).handle(({ db, env, now, query: { feed } }) => {
    if (feed && !feedsOn(env).includes(feed))
      throw new Failure(409, 'off', 'This feed is switched off: it has no address')
    return enqueue({ env, db, now }, feed ? [feed] : scheduledFeeds(env))
  }),

  route(listSkips).handle(async ({ db, url, query }) => paged(url, query, await findSkips(db, query))),

  route(listRuns).handle(async ({ db, query }) => ({ runs: await findRuns(db, query) })),

  ...syncTriggers.map(({ contract, feeds }) =>
    route(contract).handle((asked) => enqueue(asked, onOf(asked.env, feeds))),
  ),

  ...syncYearTriggers.map((contract) =>
    route(contract).handle((asked) => enqueue(asked, onOf(asked.env, ['cve', 'nvd']))),
  ),
]

const onOf = (env: Env, wanted: FeedId[]) => wanted.filter((id) => feedsOn(env).includes(id))

async function enqueue({ env, db, now }: { env: Env; db: Db; now: Date }, feeds: FeedId[]) {
  for (const feed_id of feeds) await startRun(env, db, feed_id, now)
  return { status: 'enqueued' as const, feeds }
}
