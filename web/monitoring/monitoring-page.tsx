import '@mantine/core/styles/Progress.css'
import { Group, Menu, Progress, Skeleton, Text } from '@mantine/core'
import { useSearchParams } from 'react-router-dom'
import { UrlTabs } from '../ui/url-tabs'
import { Page } from '../ui/page'
import { AwaitedList } from './awaited-list'
import { ImportButton } from './import-button'
import { ItemList } from './item-list'
import { lists } from './lists'
import { useMutation, useQuery } from '@tanstack/react-query'
import { exportKinds, type ExportKind } from '../../worker/monitoring/import-contract'
import { itemKinds, ItemQuery } from '../../worker/monitoring/contract'
import { ExportMenu } from '../ui/export-menu'
import {
  awaitedQuery,
  exportMutation,
  monitoredStatsQuery,
  removedListsQuery,
  restoreListMutation,
  itemDefaults,
  itemsQuery,
} from './api'
import { CountCard, CountCards, CountPart } from '../ui/count-card'
import { FailedState } from '../ui/failed-state'
import { formatCount, plural } from '../lib/format'
import { useAccess } from '../session/access'
import { RemovedCard } from '../ui/removed-card'
import { type Place, ensure, filtersIn, tabIn } from '../lib/ensure'
import { useReadOnly } from '../session/known-org'

export function startMonitoring(place: Place) {
  const tab = tabIn(place) ?? 'vendors'
  const list = itemKinds.find((kind) => kind === tab)
  return Promise.all([
    ensure(monitoredStatsQuery),
    list && ensure(itemsQuery(list, filtersIn(place, ItemQuery, itemDefaults))),
  ])
}

export function MonitoringPage() {
  return (
    <Page
      title="Monitoring"
      actions={
        <Group>
          <ImportButton />
          <ExportButton />
        </Group>
      }
    >
      <MonitoredStats />
      <Matching />
      <MonitoredTabs />
      <RemovedLists />
    </Page>
  )
}

/** Lists and numbers lack what is still to be matched. */
function Matching() {
  const { data } = useQuery(monitoredStatsQuery)
  if (!data?.matching_count) return null
  const count = Math.max(data.monitored.count, data.matching_count)
  const text = `Matching with the vulnerabilities: ${formatCount(count - data.matching_count)} of ${plural(count, 'item')}`
  return (
    <div>
      <Text size="sm" role="status" mb={4}>
        {text}
      </Text>
      <Progress value={(100 * (count - data.matching_count)) / count} aria-label={text} />
    </div>
  )
}

/** Opens where something is monitored. */
function MonitoredTabs() {
  const stats = useQuery(monitoredStatsQuery)
  const awaited = useQuery(awaitedQuery({ page: 1, ...itemDefaults }))
  const [params] = useSearchParams()
  const tabs = [
    ...itemKinds.map((list) => ({
      key: list,
      label: labels[list],
      count: stats.data?.monitored[lists[list].many],
      content: <ItemList key={list} list={list} />,
    })),
    { key: 'awaited', label: 'Waiting', count: awaited.data?.count, content: <AwaitedList /> },
  ]
  if (stats.isPending && !params.has('tab')) return <Skeleton height={240} />
  return <UrlTabs tabs={tabs} initial={tabs.find(({ key, count = 0 }) => key !== 'awaited' && count > 0)?.key} />
}

const labels: Record<ExportKind, string> = {
  all: 'Everything',
  vendors: 'Vendors',
  products: 'Products',
  packages: 'Packages',
  vulns: 'Vulns',
}

function ExportButton() {
  const { isPending, mutate } = useMutation(exportMutation)
  return (
    <ExportMenu isPending={isPending}>
      {exportKinds.toReversed().map((kind) => (
        <Menu.Item key={kind} onClick={() => mutate({ kind, format: 'csv' })}>
          {labels[kind]} as CSV
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item onClick={() => mutate({ kind: 'all', format: 'json' })}>Everything as JSON</Menu.Item>
    </ExportMenu>
  )
}

function MonitoredStats() {
  const { data, error, refetch } = useQuery(monitoredStatsQuery)
  const { vulns, metadata, monitored } = data ?? {}
  const address = '/vulns?monitored=true'
  // Of more than 10,000 the first are counted.
  const isExact = data?.days !== null
  if (error && !data) return <FailedState title="Unable to get stats." query={{ error, refetch }} />
  return (
    <CountCards>
      <CountCard title="Vulnerabilities that concern you" count={vulns?.count} isExact={isExact} to={address}>
        <CountPart
          one="exploitable"
          many="exploitable"
          count={vulns?.exploitable}
          isExact={isExact}
          to={`${address}&is_exploitable=true`}
        />
        <CountPart
          one="remote"
          many="remote"
          count={vulns?.remote}
          isExact={isExact}
          to={`${address}&access_vector=NETWORK`}
        />
      </CountCard>
      <CountCard title="Their metadata" count={metadata?.count} isExact={isExact}>
        <CountPart
          one="exploit"
          many="exploits"
          count={metadata?.exploits}
          isExact={isExact}
          to="/exploits?monitored=true"
        />
        <CountPart
          one="threat"
          many="threats"
          count={metadata?.threats}
          isExact={isExact}
          to="/threats?monitored=true"
        />
      </CountCard>
      <CountCard title="Monitored items" count={monitored?.count} to="/monitoring">
        {itemKinds.map((list) => {
          const { one, many } = lists[list]
          return <CountPart key={list} one={one} many={many} count={monitored?.[many]} to={`/monitoring?tab=${list}`} />
        })}
        <CountPart one="inventory" many="inventories" count={monitored?.inventories} to="/monitoring/inventories" />
      </CountCard>
    </CountCards>
  )
}

function RemovedLists() {
  const { data: rows = [] } = useQuery(removedListsQuery)
  const mayRestore = useAccess()('manageMetadata')
  const restoring = useMutation(restoreListMutation)
  const isFree = mayRestore && !restoring.isPending
  return (
    <RemovedCard
      title="No longer monitored"
      rows={rows}
      nameOf={({ count }) => plural(count, 'item')}
      onRestore={isFree ? ({ key }) => restoring.mutate(key) : undefined}
      readOnly={useReadOnly()}
    />
  )
}
