import { paged } from '../http/page'
import { admitAddress } from '../http/rate-limit'
import { route } from '../http/route'
import type { RequestScope } from '../http/route'
import { listAlerts, subscribeNewsletter, whyAlerted } from './contract'
import { tryRules } from './ledger/backtest'
import { backTest } from './ledger/backtest-contract'
import * as channel from './channels/contract'
import { removeChannelRow, listStoredChannels, rotateWebhookKey, saveChannel } from './channels/manage'
import { tryChannel } from './channels/try-out'
import { answerFeed, formatAtom, formatJsonFeed } from './feeds/formats'
import { findAlertFeeds, getFeed, createFeedAddress, removeFeed } from './feeds/feeds'
import * as proof from './proof/contract'
import { downloadProofs, findProofs } from './proof/proofs'
import { getReport, listReports } from './reports/contract'
import { findReports, getReportFacts } from './reports/queries'
import { resend, resendFailed } from './deliver/resend'
import { subscribe } from './newsletter/newsletter'
import { findAlerts } from './ledger/queries'
import { getSettingsFor, updateSettings } from './settings/settings'
import * as settings from './settings-contract'
import { findVisibleSnooze, saveSnooze, wakeByHand } from '../decisions/quiet'
import { endSnooze, getSnooze, setSnooze } from '../decisions/quiet-contract'
import { explainAlert } from './ledger/why'

export const alertRoutes = [
  route(channel.listChannels).handle(({ db, actor }) => listStoredChannels(db, actor.org_id)),
  route(channel.updateChannel).handle(({ db, params, body, ...by }) => saveChannel(db, params.channel, body, by)),
  route(channel.removeChannel).handle(({ db, params, ...by }) => removeChannelRow(db, params.channel, by)),
  route(channel.testChannel).handle(({ db, params, ...by }) => tryChannel(db, params.channel, by)),
  route(channel.testEmail).handle(({ db, ...by }) => tryChannel(db, 'email', by)),
  route(channel.renewWebhookKey).handle(({ db, body, ...by }) => rotateWebhookKey(db, body.signing, by)),
  route(channel.resendDelivery).handle(({ env, db, actor, params, now }) =>
    resend(env, db, { org_id: actor.org_id, id: params.id }, now),
  ),
  route(channel.resendAllFailed).handle(({ env, db, actor, now }) => resendFailed(env, db, actor.org_id, now)),
  route(channel.listAlertFeeds).handle(({ db, actor }) => findAlertFeeds(db, actor.org_id)),
  route(channel.createAlertFeed).handle(({ db, body, ...by }) => createFeedAddress(db, body.view_id, by)),
  route(channel.removeAlertFeed).handle(({ db, params, ...by }) => removeFeed(db, params.view_id, by)),
  route(channel.atomFeed).handle(async (request) => {
    const page = await openFeed(request)
    return answerFeed(await formatAtom(page), 'application/atom+xml', request.known_etags)
  }),
  route(channel.jsonFeed).handle(async (request) => {
    const page = await openFeed(request)
    return answerFeed(formatJsonFeed(page), 'application/feed+json', request.known_etags)
  }),

  route(settings.getOrgSettings).handle(async ({ db, actorIn, params }) =>
    getSettingsFor(db, await actorIn(params.org_id)),
  ),
  route(settings.updateOrgSettings).handle(({ db, body: { org_id: _, ...change }, ...by }) =>
    updateSettings(db, change, by),
  ),
  route(listReports).handle(({ db, actor }) => findReports(db, actor.org_id)),
  route(getReport).handle(async ({ db, actor, actorIn, params, query }) => {
    const { org_id } = query.org_id === undefined ? actor : await actorIn(query.org_id)
    return getReportFacts(db, org_id, { kind: params.schedule, period: params.day, page: query.page })
  }),
  route(listAlerts).handle(async ({ db, actor, query, url }) => paged(url, query, await findAlerts(db, actor, query))),
  route(whyAlerted).handle(({ db, actor, params, now }) => explainAlert(db, actor.org_id, params.id, now)),
  route(backTest).handle(({ db, actor, body, now }) => tryRules(db, actor.org_id, body, now)),
  route(proof.listProofs).handle(({ db, actor, now }) => findProofs(db, actor.org_id, now)),
  route(proof.exportProofsCsv).handle(({ db, actor }) => downloadProofs(db, actor.org_id, 'csv')),
  route(proof.exportProofsJson).handle(({ db, actor }) => downloadProofs(db, actor.org_id, 'json')),
  route(getSnooze).handle(({ db, actor, params, now }) => findVisibleSnooze(db, actor.org_id, params.id, now)),
  route(setSnooze).handle(({ db, params, body, ...by }) => saveSnooze(db, params.id, body, by)),
  route(endSnooze).handle(({ db, params, ...by }) => wakeByHand(db, params.id, by)),
  route(subscribeNewsletter).handle(async ({ db, body, env, client, now }) => {
    await subscribe(db, body.email, { env, client, now })
    return { status: 'success' as const }
  }),
]

type FeedRequest = Pick<RequestScope, 'env' | 'db' | 'client' | 'now' | 'url'> & { params: { token: string } }

/** Anybody may hold the address: readers are counted as those of public pages are. */
async function openFeed({ env, db, client, now, url, params }: FeedRequest) {
  await admitAddress(env, client.ip && `read ${client.ip}`)
  return { ...(await getFeed(env, db, params.token, now)), self: url.href, home: `${env.APP_URL}/alerts` }
}
