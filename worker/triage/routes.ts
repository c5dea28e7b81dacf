import { getVulnDetail } from '../vulns/detail/detail'
import { rateAnew } from '../merge/rerate'
import { jsonResponse } from '../http/json'
import { route } from '../http/route'
import { sealUndo } from '../decisions/undo-token'
import { assign, setStatus, setStatuses } from '../decisions/work'
import type { Actor } from '../domain/people/access'
import {
  createComment,
  findComments,
  findNewestComment,
  removeOwnComment,
  setSingleComment,
  updateComment,
} from './comments'
import * as contract from './contract'
import { exportFull, exportInfo } from './data-contract'
import { findExported, findExportInfo, exportDetails } from './data-export'
import { findAssignees, findMarks, setSeen } from './inbox'
import { assignVulns, listAssignees, listMarks, markSeen } from './inbox-contract'
import { findEpssHistory, findRecords } from './records'
import { sendDetails } from './send'
import { findStatus } from './status'
import { testAffected } from './version'

export const triageRoutes = [
  route(contract.editStatuses).handle(async ({ db, body: { ids, status }, ...by }) => {
    const { set, entries } = await setStatuses(db, ids, { status }, by)
    return { status, set, skipped: ids.filter((id) => !set.includes(id)), undo: await sealUndo(by.env, entries) }
  }),
  route(listMarks).handle(async ({ db, actor, query, now }) => ({
    results: await findMarks(db, toMember(actor), query.ids, now),
  })),
  route(listAssignees).handle(async ({ db, actor }) => ({ results: await findAssignees(db, actor.org_id) })),
  route(assignVulns).handle(async ({ db, body: { ids, user_id }, ...by }) => {
    const { set, entries } = await assign(db, ids, { user_id }, by)
    return { set, skipped: ids.filter((id) => !set.includes(id)), undo: await sealUndo(by.env, entries) }
  }),
  route(markSeen).handle(({ db, actor, body: { ids, is_seen }, now }) =>
    setSeen(db, toMember(actor), ids, { is_seen, now }),
  ),
  route(contract.getStatus).handle(
    async ({ db, actor, params }) => (await findStatus(db, actor.org_id, params.id)).status,
  ),
  route(contract.statusHistory).handle(({ db, actor, params }) => findStatus(db, actor.org_id, params.id)),
  route(contract.editStatus).handle(({ db, params, body, ...by }) => setStatus(db, params.id, body, by)),
  route(contract.getOrgMetadata).handle(async ({ db, actor, params }) => {
    const [comment, { status }] = await Promise.all([
      findNewestComment(db, actor, params.id),
      findStatus(db, actor.org_id, params.id),
    ])
    return { comment: comment?.body ?? '', status }
  }),

  route(contract.getComment).handle(
    async ({ db, actor, params }) => (await findNewestComment(db, actor, params.id))?.body ?? '',
  ),
  route(contract.editComment).handle(async ({ db, params, body, ...by }) => ({
    comment: await setSingleComment(db, params.id, body.comment, by),
  })),
  route(contract.listComments).handle(async ({ db, actor, params }) => {
    const results = await findComments(db, toMember(actor), params.id)
    return { count: results.length, results }
  }),
  route(contract.addComment).handle(({ db, actor, params, body, now }) =>
    createComment(db, toMember(actor), params.id, { body: body.body, now }),
  ),
  route(contract.changeComment).handle(({ db, actor, params, body, now }) =>
    updateComment(db, toMember(actor), params.comment_id, { ...body, now }),
  ),
  route(contract.removeComment).handle(({ db, params, ...by }) =>
    removeOwnComment(db, { vuln_id: params.id, id: params.comment_id }, by),
  ),

  route(contract.vulnRecordList).handle(({ db, actor, params }) => findRecords(db, actor.org_id, params.id)),
  route(contract.vulnEpss).handle(({ db, actor, params }) => findEpssHistory(db, actor.org_id, params.id)),
  route(contract.testVersion).handle(({ db, actor, params, query }) =>
    testAffected(db, actor.org_id, params.id, query),
  ),
  route(contract.vulnCpes).handle(async ({ db, actor, params, now }) => ({
    cpes: (await getVulnDetail(db, actor.org_id, params.id, now)).vulnerable_products,
  })),
  route(contract.refreshScore).handle(({ db, actor, params, now }) => rateAnew(db, actor.org_id, params.id, now)),

  route(exportInfo).handle(({ db }) => findExportInfo(db)),
  route(exportFull).handle(({ db, query, now }) => findExported(db, query, now)),
  route(contract.exportVuln).handle(async ({ db, actor, params, now }) =>
    jsonResponse(await exportDetails(db, actor, params.id, now), {
      'content-disposition': `attachment; filename="hears_vuln_${params.id}.json"`,
      'cache-control': 'no-store',
    }),
  ),
  route(contract.sendVuln).handle(async ({ db, env, actor, params, body, now }) => {
    const delivery = { ...toMember(actor), emails: body.emails, app_url: env.APP_URL, now }
    const sent_to = await sendDetails(db, params.id, delivery)
    await env.DELIVERIES.send({ reason: 'due' })
    return { status: 'success' as const, sent_to }
  }),
]

const toMember = ({ org_id, user_id }: Actor) => ({ org_id, user_id })
