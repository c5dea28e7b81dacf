import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { exportFindings, listComponents, listFindings, listFoundVulns } from '../../worker/inventories/finding-contract'
import { exportVex, dismissProposals, putVex, listUnapplied } from '../../worker/inventories/proposal-contract'
import {
  getInventory,
  listInventories,
  listRemovedInventories,
  putInventory,
  removeInventory,
  restoreInventory,
  renameInventory,
  setOwnProduct,
  exposeInventory,
} from '../../worker/inventories/contract'
import { listUpgrades, listUnsupported } from '../../worker/inventories/upgrade-contract'
import type {
  ComponentQueryInput,
  FindingQueryInput,
  FindingRow,
  FoundVulnQueryInput,
} from '../../worker/inventories/finding-contract'
import type { InventoryQueryInput } from '../../worker/inventories/contract'
import { act, askFor, askPage, change } from '../lib/ask'
import { call, callForFile } from '../lib/call'
import type { PagingQuery } from '../lib/filters'
import { plural } from '../lib/format'
import { unlessNotFound } from '../lib/not-found'
import { showSuccess } from '../lib/notice'
import { saveFile } from '../lib/save-file'

export const inventoriesQuery = (query: InventoryQueryInput) =>
  askPage(['inventories', 'list', query], listInventories, { query }, 'Unable to get inventories')

export const removedInventoriesQuery = askFor(
  ['inventories', 'removed'],
  listRemovedInventories,
  {},
  'Unable to get the removed inventories',
)

export const inventoryQuery = (name: string) =>
  queryOptions({
    queryKey: ['inventories', 'detail', name],
    queryFn: ({ signal }) => call(getInventory, { params: { name }, signal }),
    refetchInterval: ({ state }) => (state.data?.pending_count ? 2_000 : false),
    meta: { failure: unlessNotFound('Unable to get the inventory') },
  })

export const componentsQuery = (name: string, query: ComponentQueryInput) =>
  askPage(
    ['inventories', 'components', name, query],
    listComponents,
    { params: { name }, query },
    unlessNotFound('Unable to get the components'),
  )

export const findingsQuery = (name: string, query: FindingQueryInput) =>
  askPage(
    ['inventories', 'findings', name, query],
    listFindings,
    { params: { name }, query },
    unlessNotFound('Unable to get the findings'),
  )

export const inventoryVulnsQuery = (name: string, query: FoundVulnQueryInput) =>
  askPage(
    ['inventories', 'vulns', name, query],
    listFoundVulns,
    { params: { name }, query },
    unlessNotFound('Unable to get the vulnerabilities'),
  )

export const upgradesQuery = (name: string, query: PagingQuery) =>
  askPage(
    ['inventories', 'upgrades', name, query],
    listUpgrades,
    { params: { name }, query },
    unlessNotFound('Unable to get the upgrades'),
  )

export const unsupportedQuery = (name: string, query: PagingQuery) =>
  askPage(
    ['inventories', 'support', name, query],
    listUnsupported,
    { params: { name }, query },
    unlessNotFound('Unable to get what is no longer supported'),
  )

export const unappliedQuery = (name: string) =>
  askFor(['inventories', 'vexhub', name], listUnapplied, { params: { name } }, 'Unable to get what hubs say')

export const sendInventoryMutation = mutationOptions({
  /** Null when an inventory has this name already and may not be replaced unasked. */
  mutationFn: async ({ name, file, mayReplace }: { name: string; file: Blob; mayReplace: boolean }) => {
    if (!mayReplace && (await isTaken(name))) return null
    return call(putInventory, { params: { name }, file })
  },
  onSuccess: (_answer, _given, _result, { client }) => {
    void client.invalidateQueries({ queryKey: ['inventories'] })
    return client.invalidateQueries({ queryKey: ['vulns'] })
  },
})

async function isTaken(name: string) {
  const { results } = await call(listInventories, { query: { search: name, limit: 100 } })
  return results.some((inventory) => inventory.name === name)
}

export const removeInventoryMutation = mutationOptions({
  mutationFn: (name: string) => call(removeInventory, { params: { name } }),
  onSuccess: (_answer, name, _result, { client }) => {
    showSuccess(`${name} is removed`)
    void client.invalidateQueries({ queryKey: removedInventoriesQuery.queryKey })
    return client.invalidateQueries({ queryKey: ['inventories', 'list'] })
  },
  meta: { failure: 'Unable to remove the inventory' },
})

export const renameInventoryMutation = mutationOptions({
  mutationFn: ({ name, to }: { name: string; to: string }) =>
    call(renameInventory, { params: { name }, body: { name: to } }),
  // Pages of the name before are left open for whoever is on them: asked again, they would answer that it is gone.
  onSuccess: ({ name }, _given, _result, { client }) => {
    showSuccess(`It is called ${name} now`)
    client.removeQueries({ queryKey: ['inventories'], type: 'inactive' })
    return client.invalidateQueries({ queryKey: ['vulns'] })
  },
})

export const restoreInventoryMutation = mutationOptions({
  mutationFn: ({ id, name }: { id: number; name: string }) =>
    call(restoreInventory, { params: { id }, body: { name } }),
  onSuccess: ({ name }, _given, _result, { client }) => {
    showSuccess(`${name} is restored`)
    void client.invalidateQueries({ queryKey: ['vulns'] })
    return client.invalidateQueries({ queryKey: ['inventories'] })
  },
})

export const exportVexMutation = act(
  async ({ name, format }: { name: string; format: 'cyclonedx' | 'openvex' | 'csaf' }) =>
    saveFile(await callForFile(exportVex, { params: { name, format } }), `${name}-${format}-vex.json`),
  { failure: 'Unable to export the VEX document' },
)

type FindingFile = { name: string; format: 'csv' | 'json'; by: 'finding' | 'vulnerability' }
const fileWords = { finding: 'findings', vulnerability: 'vulnerabilities' }

export const exportFindingsMutation = act(
  async ({ name, format, by }: FindingFile) =>
    saveFile(
      await callForFile(exportFindings, { params: { name, format }, query: { by } }),
      `${name}-${fileWords[by]}.${format}`,
    ),
  { failure: 'Unable to export the findings' },
)

type Dismissing = {
  name: string
  finding: Pick<FindingRow, 'vuln_id' | 'component_id'>
  author: string
  dismissed: boolean
}

export const dismissMutation = mutationOptions({
  mutationFn: ({ name, finding: { vuln_id, component_id }, author, dismissed }: Dismissing) =>
    call(dismissProposals, { params: { name }, body: { findings: [{ vuln_id, component_id }], author, dismissed } }),
  onSuccess: (_answer, { dismissed }, _result, { client }) => {
    if (!dismissed) showSuccess('The proposal is back')
    return client.invalidateQueries({ queryKey: ['inventories', 'findings'] })
  },
  meta: { failure: 'Unable to change the proposal' },
})

export const proposeVexMutation = mutationOptions({
  mutationFn: ({ name, file }: { name: string; file: Blob }) => call(putVex, { params: { name }, file }),
  onSuccess: ({ author, proposals, unmatched }, _given, _result, { client }) => {
    showSuccess(
      `${plural(proposals, 'proposal', 'proposals')} by ${author}` +
        (unmatched.count
          ? `; ${plural(unmatched.count, 'statement concerns', 'statements concern')} no finding here`
          : ''),
    )
    return client.invalidateQueries({ queryKey: ['inventories', 'findings'] })
  },
  meta: { failure: 'Unable to read the VEX document' },
})

export const ownProductMutation = change(
  [['inventories']],
  ({ name, is_own_product }: { name: string; is_own_product: boolean }) =>
    call(setOwnProduct, { params: { name }, body: { is_own_product } }),
  { failure: 'Unable to change whether you make it' },
)

export const exposeInventoryMutation = change(
  [['inventories'], ['vulns']],
  ({ name, publicly_exposed }: { name: string; publicly_exposed: boolean | null }) =>
    call(exposeInventory, { params: { name }, body: { publicly_exposed } }),
  { success: 'Due dates follow the exposure.', failure: 'Unable to change the exposure' },
)
