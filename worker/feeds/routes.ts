import { route } from '../http/route'
import { runSync, syncInfo } from './contract'
import { startRun } from './drive'
import { findFeeds } from './queries'
import { scheduledFeeds } from './registry'

export const feedRoutes = [
  route(syncInfo).handle(async ({ db, env, now }) => ({ feeds: await findFeeds(env, db, now) })),

  route(runSync).handle(async ({ db, env, now, query }) => {
    const wanted = query.feed ? [query.feed] : scheduledFeeds(env)
    for (const feed_id of wanted) await startRun(env, db, feed_id, now)
    return { status: 'enqueued', feeds: wanted }
  }),
]
