import { inPages } from '../http/page'
import { route } from '../http/route'
import * as contract from './contract'
import { decideEach } from './decide'
import { makeDecisions, undoDecisions } from './decide-contract'
import { findDecisionHistory } from './history'
import { exportRegister, findAccepted } from './register'
import { editDuePolicy, getDuePolicy } from './due-contract'
import { findDuePolicy, setDuePolicy } from './due-policy'
import { findDecisionSettings, setDecisionSettings, settleRequest } from './requests'
import { undoChanges } from './undo'

export const decisionRoutes = [
  route(makeDecisions).handle(({ db, body, ...by }) => decideEach(db, body.decisions, by)),
  route(undoDecisions).handle(({ db, body, ...by }) => undoChanges(db, body, by)),
  route(contract.listDecisions).handle(async ({ db, params, ...by }) => ({
    results: await findDecisionHistory(db, params.id, by),
  })),
  route(contract.listAccepted).handle(
    inPages(({ db, actor, query, now }) => findAccepted(db, actor.org_id, query, now)),
  ),
  route(contract.exportAccepted).handle(({ db, actor, params, query, now }) =>
    exportRegister(db, actor.org_id, { format: params.format, chosen: query }, now),
  ),
  route(contract.getDecisionSettings).handle(({ db, actor }) => findDecisionSettings(db, actor.org_id)),
  route(contract.editDecisionSettings).handle(({ db, body, ...by }) => setDecisionSettings(db, body, by)),
  route(getDuePolicy).handle(({ db, actor }) => findDuePolicy(db, actor.org_id)),
  route(editDuePolicy).handle(({ db, body, ...by }) => setDuePolicy(db, body, by)),
  route(contract.settleAccepting).handle(({ db, params, body, ...by }) => settleRequest(db, params.id, body, by)),
]
