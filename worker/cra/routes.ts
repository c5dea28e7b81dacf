import { inPages } from '../http/page'
import { route } from '../http/route'
import * as contract from './contract'
import { getEvidence } from './evidence'
import { findCraClocks } from './find-clocks'
import { editClock, removeReport, setCraReport } from './note'

export const craRoutes = [
  route(contract.listCraClocks).handle(inPages(({ db, actor, query }) => findCraClocks(db, actor.org_id, query))),
  route(contract.getCraEvidence).handle(({ db, params, ...by }) => getEvidence(db, params.id, by)),
  route(contract.editCraClock).handle(({ db, params, body, ...by }) => editClock(db, params.id, body, by)),
  route(contract.noteCraReport).handle(({ db, params, body, ...by }) => setCraReport(db, { ...params, ...body }, by)),
  route(contract.removeCraReport).handle(({ db, params, ...by }) => removeReport(db, params, by)),
]
