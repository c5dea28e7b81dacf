import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { InventoryQuery, type Inventory } from '../../worker/inventories/contract'
import { formatCount } from '../lib/format'
import { useFilters } from '../lib/filters'
import { AppLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'
import { PagedTable } from '../ui/paged-table'
import { ListHead } from '../ui/search-field'
import { Timestamp } from '../ui/timestamp'
import { inventoriesQuery } from './api'
import { DropZone } from './drop-zone'
import { countNotCompared, inventoryPath, KevCounts, OpenCounts } from './open-counts'
import { RemovedInventories } from './name-dialogs'
import { ensure, filtersIn, type Place } from '../lib/ensure'

type Sort = NonNullable<InventoryQuery['sorted_by']>

const columns: Column<Inventory, Sort>[] = [
  {
    label: 'Inventory',
    sort: ['name', '-name'],
    inCard: 'lead',
    cell: ({ name, format }) => (
      <>
        <AppLink to={inventoryPath(name)} fw={600}>
          {name}
        </AppLink>
        <Text size="xs" c="dimmed">
          {format}
        </Text>
      </>
    ),
  },
  {
    label: 'Components',
    width: 150,
    sort: ['-components_count', 'components_count'],
    cell: ({ name, components_count, ...row }) => (
      <>
        <AppLink to={`${inventoryPath(name)}?tab=components`}>{formatCount(components_count)}</AppLink>
        {countNotCompared(row) > 0 && (
          <AppLink to={`${inventoryPath(name)}?tab=components&compared=false`} size="xs" display="block">
            {formatCount(countNotCompared(row))} not compared
          </AppLink>
        )}
      </>
    ),
  },
  {
    label: 'Open findings',
    inCard: 'wide',
    cell: (row) => (
      <AppLink to={`${inventoryPath(row.name)}?tab=findings`}>
        <OpenCounts inventory={row} />
      </AppLink>
    ),
  },
  {
    label: 'Exploited',
    width: 140,
    cell: (row) => <KevCounts inventory={row} />,
  },
  {
    label: 'Sent',
    width: 130,
    sort: ['-updated_at', 'updated_at'],
    cell: ({ updated_at }) => <Timestamp at={updated_at} isRelative />,
  },
]

export const startInventories = (place: Place) => ensure(inventoriesQuery(filtersIn(place, InventoryQuery)))

export function InventoryListPage() {
  const [filters, setFilters] = useFilters(InventoryQuery)
  return (
    <Page title="Inventories">
      <Text size="sm">
        What you run, with its versions: send a bill of materials here or from your build (see{' '}
        <AppLink to="/help">Help</AppLink>). Earshot tells which versions are affected, and what to fix first.
      </Text>
      <DropZone />
      <ListHead label="Search inventories" search={filters.search} onChange={setFilters} />
      <PagedTable
        of="inventories"
        found={useQuery(inventoriesQuery(filters))}
        paging={filters}
        onChange={setFilters}
        columns={columns}
        expected={3}
        href={({ name }) => inventoryPath(name)}
        failed="Unable to get inventories"
        empty={
          <EmptyState
            title={filters.search ? 'No inventory matches' : 'No inventory yet'}
            text="Drop a bill of materials or a lock file above."
          />
        }
      />
      <RemovedInventories />
    </Page>
  )
}
