import { inPages } from '../http/page'
import { route } from '../http/route'
import { acknowledgeAlert } from './acknowledge/acknowledge'
import { acknowledge, listAlerts, whyAlerted } from './contract'
import { tryRules } from './ledger/backtest'
import { backTest } from './ledger/backtest-contract'
import * as channel from './channels/contract'
import { changeRouteRow, createRouteRow, removeChannelRow } from './channels/manage'
import { rotateWebhookKey } from './channels/change-secrets'
import { listRouteRows, listStoredChannels } from './channels/rows'
import * as receiver from './receivers/contract'
import { previewMessage, trySample } from './receivers/sample'
import { tryChannel } from './channels/try-out'
import { checkSeals } from './proof/seals'
import * as proof from './proof/contract'
import { downloadProofs, findProofs } from './proof/proofs'
import { getReport, getSample, listReports, previewReport, sendReport } from './reports/contract'
import { getReportNow, sendReportNow } from './reports/now'
import { findReports, getReportFacts } from './reports/queries'
import * as rota from './rota/contract'
import { endRota, saveRota, viewRota } from './rota/manage'
import { resend, resendFailed } from './deliver/resend'
import { makeSample } from './reports/sample'
import { findAlerts } from './ledger/queries'
import { getSettingsFor, updateSettings } from './settings/settings'
import * as settings from './settings/contract'
import { findVisibleSnooze, saveSnooze, wakeByHand } from '../decisions/quiet'
import { endSnooze, getSnooze, setSnooze } from '../decisions/decide-contract'
import { explainAlert } from './ledger/why'
import { readUrgent, urgentNews } from './urgent/contract'
import { findUrgentNews, findUrgentVersion, setOneRead, setUrgentRead } from './urgent/queries'
import { holdsEtag } from '../http/etags'
import { hashToken } from '../auth/keys'

export const alertRoutes = [
  route(channel.listChannels).handle(({ db, actor }) => listStoredChannels(db, actor.org_id)),
  route(channel.updateChannel).handle(({ db, params, body, ...by }) => changeRouteRow(db, params.channel, body, by)),
  route(channel.removeChannel).handle(({ db, params, ...by }) => removeChannelRow(db, params.channel, by)),
  route(channel.testChannel).handle(({ db, params, ...by }) => tryChannel(db, params.channel, by)),
  route(channel.testEmail).handle(({ db, ...by }) => tryChannel(db, 'email', by)),
  route(channel.renewWebhookKey).handle(({ db, body, ...by }) => rotateWebhookKey(db, body.signing, by)),
  route(channel.resendDelivery).handle(({ env, db, actor, params, now }) =>
    resend(env, db, { org_id: actor.org_id, id: params.id }, now),
  ),
  route(channel.resendAllFailed).handle(({ env, db, actor, now }) => resendFailed(env, db, actor.org_id, now)),

  route(receiver.listRoutes).handle(({ db, actor }) => listRouteRows(db, actor.org_id)),
  route(receiver.createRoute).handle(({ db, body, ...by }) => createRouteRow(db, body, by)),
  route(receiver.previewRoute).handle(({ db, body, ...by }) => previewMessage(db, body, by)),
  route(receiver.updateRoute).handle(({ db, params, body, ...by }) => changeRouteRow(db, params.route, body, by)),
  route(receiver.removeRoute).handle(({ db, params, ...by }) => removeChannelRow(db, params.route, by)),
  route(receiver.sendSample).handle(({ db, params, body, ...by }) => trySample(db, params.route, body.rule, by)),
  route(receiver.testRoute).handle(({ db, params, ...by }) => tryChannel(db, params.route, by)),
  route(rota.getRota).handle(({ db, actor, params, now }) => viewRota(db, actor.org_id, params.route, now)),
  route(rota.setRota).handle(({ db, params, body, ...by }) => saveRota(db, params.route, body, by)),
  route(rota.removeRota).handle(({ db, params, ...by }) => endRota(db, params.route, by)),
  route(settings.getOrgSettings).handle(async ({ db, actorIn, params }) =>
    getSettingsFor(db, await actorIn(params.org_id)),
  ),
  route(settings.updateOrgSettings).handle(({ db, body: { org_id: _, ...change }, ...by }) =>
    updateSettings(db, change, by),
  ),
  route(listReports).handle(({ db, actor }) => findReports(db, actor.org_id)),
  route(getSample).handle(({ db, ...by }) => makeSample(db, by)),
  route(previewReport).handle(({ db, params, query, ...by }) =>
    getReportNow(db, { kind: params.schedule, page: query.page }, by),
  ),
  route(sendReport).handle(({ db, params, ...by }) => sendReportNow(db, params.schedule, by)),
  route(getReport).handle(async ({ db, actor, actorIn, params, query }) => {
    const { org_id } = query.org_id === undefined ? actor : await actorIn(query.org_id)
    return getReportFacts(db, org_id, { kind: params.schedule, period: params.day, page: query.page })
  }),
  route(listAlerts).handle(inPages(({ db, actor, query, now }) => findAlerts(db, actor, query, now))),
  route(acknowledge).handle(({ db, body, ...by }) => acknowledgeAlert(db, body.id, by)),
  route(urgentNews).handle(async ({ db, actor, known_etags, now }) => {
    const etag = `"${(await hashToken(await findUrgentVersion(db, actor, now))).slice(0, 27)}"`
    if (holdsEtag(known_etags, etag)) return new Response(null, { status: 304, headers: { etag } })
    return Response.json(await findUrgentNews(db, actor, now), { headers: { etag } })
  }),
  route(readUrgent).handle(async ({ db, actor, body }) => {
    await (body.only ? setOneRead : setUrgentRead)(db, actor, body.id)
  }),
  route(whyAlerted).handle(({ db, actor, params, now }) => explainAlert(db, actor.org_id, params.id, now)),
  route(backTest).handle(({ db, actor, body, now }) => tryRules(db, actor.org_id, body, now)),
  route(proof.listProofs).handle(({ db, actor, now }) => findProofs(db, actor.org_id, now)),
  route(proof.checkProofs).handle(({ db, env, actor, query, now }) =>
    checkSeals(env, db, { org_id: actor.org_id, ...query }, now),
  ),
  route(proof.exportProofsCsv).handle(({ db, actor }) => downloadProofs(db, actor.org_id, 'csv')),
  route(proof.exportProofsJson).handle(({ db, actor }) => downloadProofs(db, actor.org_id, 'json')),
  route(getSnooze).handle(({ db, actor, params, now }) => findVisibleSnooze(db, actor.org_id, params.id, now)),
  route(setSnooze).handle(({ db, params, body, ...by }) => saveSnooze(db, params.id, body, by)),
  route(endSnooze).handle(({ db, params, ...by }) => wakeByHand(db, params.id, by)),
]
