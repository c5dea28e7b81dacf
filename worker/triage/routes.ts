import { getVulnDetail } from '../vulns/detail/detail'
import { rateAnew } from '../merge/rerate'
import { route } from '../http/route'
import type { Actor } from '../domain/access'
import { createComment, deleteComment, findComments, findNewest, setSingleComment, updateComment } from './comments'
import {
  addComment,
  changeComment,
  editComment,
  editStatus,
  editStatuses,
  epssHistory,
  exportVuln,
  getComment,
  getMetadata,
  getStatus,
  listComments,
  refreshScore,
  removeComment,
  sendVuln,
  testVersion,
  vulnCpes,
  vulnRecordList,
} from './contract'
import { exportDetails } from './export'
import { findEpss, findRecords } from './records'
import { sendDetails } from './send'
import { findStatus, setStatus, setStatuses } from './status'
import { testAffected } from './version'

export const triageRoutes = [
  route(editStatuses).handle(async ({ db, actor, body: { ids, status }, now }) => {
    const set = await setStatuses(db, ids, { org_id: actor.org_id, user_id: actor.user_id, status, now })
    return { status, set, skipped: ids.filter((id) => !set.includes(id)) }
  }),
  route(getStatus).handle(({ db, actor, params }) => findStatus(db, actor.org_id, params.id)),
  route(editStatus).handle(async ({ db, actor, params, body: { status }, now }) => ({
    status: await setStatus(db, params.id, { org_id: actor.org_id, user_id: actor.user_id, status, now }),
  })),
  route(getMetadata).handle(async ({ db, actor, params }) => ({
    comment: (await findNewest(db, actor, params.id))?.body ?? '',
    status: (await findStatus(db, actor.org_id, params.id)).status,
  })),

  route(getComment).handle(async ({ db, actor, params }) => ({
    comment: (await findNewest(db, actor, params.id))?.body ?? '',
  })),
  route(editComment).handle(async ({ db, actor, params, body, now }) => ({
    comment: await setSingleComment(db, whoOf(actor), params.id, { body: body.comment, now }),
  })),
  route(listComments).handle(async ({ db, actor, params }) => {
    const results = await findComments(db, whoOf(actor), params.id)
    return { count: results.length, results }
  }),
  route(addComment).handle(({ db, actor, params, body, now }) =>
    createComment(db, whoOf(actor), params.id, { body: body.body, now }),
  ),
  route(changeComment).handle(({ db, actor, params, body, now }) =>
    updateComment(db, whoOf(actor), params.comment_id, { ...body, now }),
  ),
  route(removeComment).handle(async ({ db, actor, params }) => {
    await deleteComment(db, whoOf(actor), params.comment_id)
    return { status: 'success' as const }
  }),

  route(vulnRecordList).handle(({ db, actor, params }) => findRecords(db, actor.org_id, params.id)),
  route(epssHistory).handle(({ db, actor, params }) => findEpss(db, actor.org_id, params.id)),
  route(testVersion).handle(({ db, actor, params, query }) => testAffected(db, actor.org_id, params.id, query)),
  route(vulnCpes).handle(async ({ db, actor, params, now }) => ({
    cpes: (await getVulnDetail(db, actor.org_id, params.id, now)).vulnerable_products,
  })),
  route(refreshScore).handle(({ db, actor, params, now }) => rateAnew(db, actor.org_id, params.id, now)),

  route(exportVuln).handle(async ({ db, actor, params, now }) =>
    Response.json(await exportDetails(db, actor, params.id, now), {
      headers: {
        'content-disposition': `attachment; filename="hears_vuln_${params.id}.json"`,
        'cache-control': 'no-store',
      },
    }),
  ),
  route(sendVuln).handle(async ({ db, env, actor, params, body, now }) => {
    const given = { ...whoOf(actor), emails: body.emails, app_url: env.APP_URL, now }
    const sent_to = await sendDetails(db, params.id, given)
    await env.DELIVERIES.send({ reason: 'due' })
    return { status: 'success' as const, sent_to }
  }),
]

const whoOf = ({ org_id, user_id }: Actor) => ({ org_id, user_id })
