import { Failure } from '../http/errors'
import { paged } from '../http/page'
import { route } from '../http/route'
import {
  exportFindings,
  exportVex,
  getInventory,
  listComponents,
  listFindings,
  listInventories,
  listUpgrades,
  putInventory,
  removeInventory,
} from './contract'
import { setDecisions } from './decide'
import { setDismissed } from './dismiss'
import { decideFindings, dismissProposals, putVex } from './decision-contract'
import { findComponents } from './find-components'
import { exportFindingList, findFindings } from './find-findings'
import { exportFoundVulns, findFoundVulns } from './find-found-vulns'
import { findInventoryPage, getInventoryDetail } from './find-inventories'
import { listFoundVulns } from './vuln-contract'
import { removeInventoryRows } from './remove'
import { syncInventory } from './sync'
import { findUpgrades } from './upgrades'
import { proposeVex } from './vex/propose'
import { exportVexFile } from './vex/write-vex'

export const inventoryRoutes = [
  route(listInventories).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findInventoryPage(db, actor.org_id, query)),
  ),
  route(putInventory).handle(({ db, actor, params, file, now }) => {
    if (!file) throw new Failure(400, 'invalid_document', 'The request has no body: send the document itself')
    return syncInventory(db, actor.org_id, { name: params.name, file, now })
  }),
  route(getInventory).handle(({ db, actor, params }) => getInventoryDetail(db, actor.org_id, params.name)),
  route(removeInventory).handle(async ({ db, actor, params }) => {
    await removeInventoryRows(db, actor.org_id, params.name)
    return { status: 'success' as const }
  }),
  route(listComponents).handle(async ({ db, actor, params, query, url, now }) =>
    paged(url, query, await findComponents(db, actor.org_id, { name: params.name, query, now })),
  ),
  route(listFindings).handle(async ({ db, actor, params, query, url, now }) =>
    paged(url, query, await findFindings(db, actor.org_id, { name: params.name, query, now })),
  ),
  route(listFoundVulns).handle(async ({ db, actor, params, query, url, now }) =>
    paged(url, query, await findFoundVulns(db, actor.org_id, { name: params.name, query, now })),
  ),
  route(listUpgrades).handle(async ({ db, actor, params, query, url, now }) =>
    paged(url, query, await findUpgrades(db, actor.org_id, { name: params.name, page: query, now })),
  ),
  route(decideFindings).handle(async ({ db, actor, params, body, now }) => {
    const changed = await setDecisions(db, actor.org_id, params.name, { ...body, user_id: actor.user_id, now })
    return { status: 'success' as const, changed }
  }),
  route(dismissProposals).handle(async ({ db, actor, params, body, now }) => {
    const changed = await setDismissed(db, actor.org_id, params.name, { ...body, user_id: actor.user_id, now })
    return { status: 'success' as const, changed }
  }),
  route(putVex).handle(({ db, actor, params, file, now }) => {
    if (!file) throw new Failure(400, 'invalid_document', 'The request has no body: send the document itself')
    return proposeVex(db, actor.org_id, { name: params.name, file, now })
  }),
  route(exportVex).handle(({ db, actor, params, url, now }) =>
    exportVexFile(db, actor.org_id, params.name, { format: params.format, origin: url.origin, now }),
  ),
  route(exportFindings).handle(({ db, actor, params, query }) => {
    const write = query.by === 'vulnerability' ? exportFoundVulns : exportFindingList
    return write(db, actor.org_id, params.name, params.format)
  }),
]
