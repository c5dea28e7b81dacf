import { admitAddress } from '../http/rate-limit'
import { route, type RequestScope } from '../http/route'
import { atomFeed, createAlertFeed, jsonFeed, listAlertFeeds, removeAlertFeed } from './contract'
import { answerFeed, formatAtom, formatJsonFeed } from './formats'
import { findAlertFeeds, getFeed, createFeedAddress, removeFeed } from './feeds'

export const atomRoutes = [
  route(listAlertFeeds).handle(({ db, actor }) => findAlertFeeds(db, actor.org_id)),
  route(createAlertFeed).handle(({ db, body, ...by }) => createFeedAddress(db, body.view_id, by)),
  route(removeAlertFeed).handle(({ db, params, ...by }) => removeFeed(db, params.view_id, by)),
  route(atomFeed).handle(async (request) => {
    const page = await openFeed(request)
    return answerFeed(await formatAtom(page), 'application/atom+xml', request.known_etags)
  }),
  route(jsonFeed).handle(async (request) => {
    const page = await openFeed(request)
    return answerFeed(formatJsonFeed(page), 'application/feed+json', request.known_etags)
  }),
]

type FeedRequest = Pick<RequestScope, 'env' | 'db' | 'client' | 'now' | 'url'> & { params: { token: string } }

/** Anybody may hold the address: readers are counted as those of public pages are. */
async function openFeed({ env, db, client, now, url, params }: FeedRequest) {
  await admitAddress(env, client.ip, 'read ')
  return { ...(await getFeed(env, db, params.token, now)), self: url.href, home: `${env.APP_URL}/alerts` }
}
