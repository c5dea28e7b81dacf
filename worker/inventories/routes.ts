import type { Db } from '../db/open'
import { auditedBy, readyAuditBy } from '../auth/audited-by'
import { localTime } from '../domain/alerts/report-times'
import { inPages, type Found, type Paging } from '../http/page'
import { decideComponents } from '../decisions/components'
import { sealUndo } from '../decisions/undo-token'
import { route, type RequestScope } from '../http/route'
import { exportFindings, listComponents, listFindings, listFoundVulns } from './finding-contract'
import { exportVex, decideFindings, dismissProposals, putVex, listUnapplied } from './proposal-contract'
import {
  getInventory,
  listInventories,
  listRemovedInventories,
  putInventory,
  removeInventory,
  restoreInventory,
  exposeInventory,
  setOwnProduct,
  renameInventory,
} from './contract'
import { listUpgrades, listUnsupported } from './upgrade-contract'
import { setDismissed } from './dismiss'
import { findComponents } from './find-components'
import { exportFindingList, findFindings, exportFoundVulns, findFoundVulns } from './find-findings'
import { giveName, markOwnProduct, requireInventory } from './inventory'
import { exposureEntry, setExposure } from '../watchlist/set-exposure'
import { findInventoryPage, getInventoryDetail } from './find-inventories'
import { findRemoved, setInventoryAside } from './remove'
import { restoreInventoryRows } from './restore'
import { syncInventory } from './sync'
import { findUnapplied } from './hub-proposals'
import { findUnsupported } from './support'
import { findUpgrades } from './upgrades'
import { proposeVex } from './vex/propose'
import { exportVexFile } from './vex/write-vex'

type Asked<Query> = Pick<RequestScope, 'db' | 'actor' | 'url' | 'now'> & { params: { name: string }; query: Query }
type Listing<Query> = { name: string; query: Query; now: Date; local: Date }

/** A page of something in an inventory. */
const listed = <Query extends Paging, Row, FoundPage extends Found<Row>>(
  find: (db: Db, org_id: number, listing: Listing<Query>) => Promise<FoundPage & Found<Row>>,
) =>
  inPages(({ db, actor, params: { name }, query, now }: Asked<Query>) =>
    find(db, actor.org_id, { name, query, now, local: localTime(actor.time_zone, now) }),
  )

export const inventoryRoutes = [
  route(listInventories).handle(inPages(({ db, actor, query }) => findInventoryPage(db, actor.org_id, query))),
  route(putInventory).handle(async ({ db, params, file, ...by }) => {
    const answer = await syncInventory(db, by.actor.org_id, {
      name: params.name,
      file,
      now: by.now,
      write: (all, entry) => auditedBy(db, all, entry, by),
    })
    if (answer.inventory.pending_count) await by.env.VERDICTS.send({ reason: 'due' })
    if (answer.findings.new.count) await by.env.ALERTS.send({ reason: 'judged' })
    return answer
  }),
  route(getInventory).handle(({ db, actor, params }) => getInventoryDetail(db, actor.org_id, params.name)),
  route(removeInventory).handle(async ({ db, params, ...by }) => {
    if (await setInventoryAside(db, params.name, by)) await by.env.VERDICTS.send({ reason: 'due' })
  }),
  route(listRemovedInventories).handle(({ db, actor, now }) => findRemoved(db, actor.org_id, now)),
  route(restoreInventory).handle(async ({ db, params, body, ...by }) => {
    const restored = await restoreInventoryRows(db, { ...params, ...body }, by)
    if (restored.pending_count) await by.env.VERDICTS.send({ reason: 'due' })
    return restored
  }),
  route(renameInventory).handle(async ({ db, params, body, ...by }) => {
    await giveName(db, { name: params.name, to: body.name }, by)
    return body
  }),
  route(exposeInventory).handle(async ({ db, params, body, ...by }) => {
    const { org_id } = by.actor
    const [{ id }, write] = await Promise.all([requireInventory(db, org_id, params.name), readyAuditBy(db, by)])
    const entry = exposureEntry(`inventory ${params.name}`, body.publicly_exposed)
    if (await setExposure(db, org_id, { kind: 'inventory', ids: [id], ...body }, (all) => write(all, entry)))
      await by.env.VERDICTS.send({ reason: 'due' })
  }),
  route(setOwnProduct).handle(({ db, params, body, ...by }) => markOwnProduct(db, { ...params, ...body }, by)),
  route(listComponents).handle(listed(findComponents)),
  route(listFindings).handle(listed(findFindings)),
  route(listFoundVulns).handle(listed(findFoundVulns)),
  route(listUpgrades).handle(listed(findUpgrades)),
  route(listUnsupported).handle(listed(findUnsupported)),
  route(listUnapplied).handle(({ db, actor, params }) => findUnapplied(db, actor.org_id, params.name)),
  route(decideFindings).handle(async ({ db, params, body, ...by }) => {
    const { changed, entries } = await decideComponents(db, { name: params.name, ...body }, by)
    return { status: 'success' as const, changed, undo: await sealUndo(by.env, entries) }
  }),
  route(dismissProposals).handle(async ({ db, params, body, ...by }) => {
    const changed = await setDismissed(db, params.name, body, by)
    return { status: 'success' as const, changed }
  }),
  route(putVex).handle(({ db, actor, params, file, now }) =>
    proposeVex(db, actor.org_id, { name: params.name, file, now }),
  ),
  route(exportVex).handle(({ db, actor, params, url, now }) =>
    exportVexFile(db, actor.org_id, params.name, { format: params.format, origin: url.origin, now }),
  ),
  route(exportFindings).handle(({ db, actor, params, query }) => {
    const write = query.by === 'vulnerability' ? exportFoundVulns : exportFindingList
    return write(db, actor.org_id, params.name, params.format)
  }),
]
