import { Button, Group, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { ItemQuery, type ItemKind } from '../../worker/monitoring/contract'
import { useFilters } from '../lib/filters'
import { EmptyState } from '../ui/empty-state'
import { PagedTable } from '../ui/paged-table'
import { SearchField } from '../ui/search-field'
import { SupportSelect } from '../ui/support-mark'
import { groupsQuery } from '../watchlist/api'
import { itemDefaults, itemsQuery, exposedGroupsQuery, exposeMutation } from './api'
import { itemColumns } from './item-columns'
import { lists } from './lists'
import { SelectedItems } from './selected-items'
import { FailedLine } from '../ui/failed-line'
import { ExposureSelect } from '../watchlist/exposure-select'

export function ItemList({ list }: { list: ItemKind }) {
  const [filters, setFilters] = useFilters(ItemQuery, itemDefaults)
  const items = useQuery(itemsQuery(list, filters))
  const groups = useQuery(groupsQuery)
  const [chosen, onChoose] = useState<ReadonlySet<number>>(new Set())
  const selection = { chosen, onChoose }
  const { many, view, hasVersions } = lists[list]
  const isFiltered = Boolean(filters.search || filters.group || filters.end_of_life)
  return (
    <>
      <Group gap="md" justify="space-between">
        <Button component={Link} to={`/${list}`} leftSection={<IconPlus size={16} aria-hidden />}>
          Add {many}
        </Button>
        <Group gap="md" w={{ base: '100%', xs: 'auto' }}>
          <NativeSelect
            aria-label="Group"
            value={filters.group ?? ''}
            data={[{ value: '', label: 'All groups' }, ...(groups.data ?? [])]}
            onChange={({ currentTarget }) => setFilters({ group: currentTarget.value })}
          />
          {hasVersions && (
            <SupportSelect value={filters.end_of_life} onChange={(end_of_life) => setFilters({ end_of_life })} />
          )}
          <SearchField
            label={`Search monitored ${many}`}
            value={filters.search}
            onChange={(search) => setFilters({ search }, { replace: true })}
          />
        </Group>
      </Group>
      {filters.group && <GroupExposure label={filters.group} />}
      <SelectedItems list={list} rows={items.data?.results ?? []} {...selection} />
      <PagedTable
        of={many}
        label={`Monitored ${many}`}
        found={items}
        paging={filters}
        onChange={setFilters}
        columns={itemColumns(list, selection)}
        href={({ id }) => `${view}/${id}`}
        empty={
          <EmptyState
            title={isFiltered ? `No monitored ${many} match` : `No monitored ${many}`}
            text={
              isFiltered
                ? 'Search by any part of the name, or choose another group or support.'
                : `Add ${many} one by one, or import a list of what you run.`
            }
          />
        }
      />
    </>
  )
}

function GroupExposure({ label }: { label: string }) {
  const known = useQuery(exposedGroupsQuery)
  const { isPending, mutate } = useMutation(exposeMutation)
  const said = known.data?.find((group) => group.label === label)?.publicly_exposed ?? null
  return (
    <>
      <FailedLine text="The exposure of the group could not be loaded." query={known} />
      <ExposureSelect
        label={`Is ${label} publicly exposed?`}
        description="It holds for all items of the group that say nothing themselves. Due dates follow."
        value={said}
        disabled={!known.data || isPending}
        onChange={(publicly_exposed) => mutate({ kind: 'group', label, publicly_exposed })}
      />
    </>
  )
}
