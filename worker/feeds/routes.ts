import { route } from '../http/route'
import { feedIds, runSync, syncInfo } from './contract'
import { startRun } from './drive'
import { findFeeds } from './queries'

export const feedRoutes = [
  route(syncInfo).handle(async ({ db, now }) => ({ feeds: await findFeeds(db, now) })),

  route(runSync).handle(async ({ db, env, now, query }) => {
    const wanted = query.feed ? [query.feed] : [...feedIds]
    for (const feed_id of wanted) await startRun(env, db, feed_id, now)
    return { status: 'enqueued', feeds: wanted }
  }),
]
