import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { WatchedKind } from '../../worker/domain/names/watch-item'
import { monitoredStats } from '../../worker/home/contract'
import {
  forgetAwaited,
  listAwaited,
  exportMonitored,
  importMonitored,
  listRemovedLists,
  restoreRemovedList,
} from '../../worker/monitoring/import-contract'
import { listMonitored, setItems, listExposedGroups, setExposed } from '../../worker/monitoring/contract'
import type { ExportKind, ImportMode, ListFormat } from '../../worker/monitoring/import-contract'
import type { ItemKind, ItemQueryInput } from '../../worker/monitoring/contract'
import { act, askFor, askPage, change } from '../lib/ask'
import { call, callForFile } from '../lib/call'
import type { PagingQuery } from '../lib/filters'
import { showSuccess, showWarning } from '../lib/notice'
import { saveFile } from '../lib/save-file'
import { currentOrgId } from '../session/session'

const failures: Record<ItemKind, string> = {
  vendors: 'unable to get vendors',
  products: 'unable to get products',
  packages: 'Unable to get packages',
  vulns: 'unable to get vulns',
}

const pending_ms = 1_500

/** Queries that a change of the watchlist makes outdated. */
const lists = ['monitored', 'vendors', 'products', 'packages', 'vulns'].map((key) => [key])

export const itemDefaults = { limit: 10 }

export const itemsQuery = (kind: ItemKind, query: ItemQueryInput) =>
  queryOptions({
    queryKey: ['monitored', kind, query],
    queryFn: ({ signal }) => call(listMonitored, { params: { kind }, query, signal }),
    placeholderData: keepPreviousData,
    // Asks again while scores are still being counted, or versions compared.
    refetchInterval: ({ state }) =>
      state.data?.results.some((item) => item.is_pending || item.is_comparing) ? pending_ms : false,
    meta: { failure: failures[kind] },
  })

export const monitoredStatsQuery = queryOptions({
  ...askFor(['monitored', 'stats'], monitoredStats, {}, 'Unable to get stats.'),
  // Asks again while items are matched with their vulnerabilities.
  refetchInterval: ({ state }) => (state.data?.matching_count ? pending_ms : false),
})

export const awaitedQuery = (query: PagingQuery) => askPage(['monitored', 'awaited', query], listAwaited, { query })

/** Below the monitored items, as what changes these changes it. */
export const removedListsQuery = askFor(
  ['monitored', 'removed'],
  listRemovedLists,
  {},
  'Unable to get what was removed',
)

export const restoreListMutation = change(
  lists,
  (key: string) => call(restoreRemovedList, { params: { key }, body: {} }),
  { success: 'The removed items are monitored again', failure: 'Unable to monitor the removed items again' },
)

// S2 §8: two seconds for what has versions.
const failure_ms = 2_000

type ItemChange = { id: number; groups?: string[]; versions?: string[] }
type Change = { kind: WatchedKind; items: ItemChange[]; monitored: boolean }

const sendItems = (items: Change) => call(setItems, { body: { ...items, organization_id: currentOrgId() } })

export const setItemsMutation = change(lists, sendItems, {
  failure: 'Unable to change the monitoring status',
  failure_ms,
})

type Exposed =
  | { kind: WatchedKind; ids: number[]; publicly_exposed: boolean | null }
  | { kind: 'group'; label: string; publicly_exposed: boolean | null }

// Each shape is a call of its own to the compiler.
const sendExposed = (body: Exposed) => (body.kind === 'group' ? call(setExposed, { body }) : call(setExposed, { body }))

/** The word on exposure comes last: it holds for groups that are new with the change. */
export const editItemMutation = change(
  lists,
  async ({ exposed, ...body }: Change & { exposed: Exposed | undefined }) => {
    const reply = await sendItems(body)
    if (exposed) await sendExposed(exposed)
    return reply
  },
  { success: 'Monitoring status successfuly updated.', failure: 'Unable to change the monitoring status', failure_ms },
)

export const exposedGroupsQuery = askFor(['monitored', 'exposure'], listExposedGroups, {})

export const exposeMutation = change(lists, sendExposed, {
  success: 'Due dates follow the exposure.',
  failure: 'Unable to change the exposure',
})

export const forgetMutation = change(
  lists,
  (body: { kind: WatchedKind; value: string }) => call(forgetAwaited, { body }),
  { success: 'Monitoring status successfuly updated.', failure: 'Unable to change the monitoring status' },
)

export const exportMutation = act(
  async ({ kind, format }: { kind: ExportKind } & ListFormat) => {
    showWarning('Preparing export...')
    const file = await callForFile(exportMonitored, { params: { kind }, query: { format } })
    saveFile(file, `ph_export_monitored_${kind}.${format}`)
  },
  { success: 'Monitored assets successfuly exported', failure: 'Unable to export monitored assets' },
)

export type LineChoice = { line: number; value?: string; skip?: boolean }
type Import = { file: File; mode: ImportMode; fixes: LineChoice[] }

export const tryImportMutation = act((body: Import) => call(importMonitored, { body: { ...body, dry_run: true } }), {
  failure: 'Unable to import monitored assets',
})

export const importMutation = change(
  lists,
  (body: Import) => {
    showSuccess('Importing...')
    return call(importMonitored, { body: { ...body, dry_run: false } })
  },
  { success: 'Monitored assets successfuly uploaded', failure: 'Unable to import monitored assets' },
)
