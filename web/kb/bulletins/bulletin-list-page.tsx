import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { BulletinQuery } from '../../../worker/kb/bulletins/contract'
import { useFilters } from '../../lib/filters'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Page } from '../../ui/page'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { BulletinFilters } from './bulletin-filters'
import { WatchSelection } from '../../watchlist/watch-selection'
import { BulletinTable } from './bulletin-table'
import { bulletinsQuery } from './api'
import { MonitoredFilter } from '../monitored-filter'
import { ensure, filtersIn } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

export const startBulletins = (place: Place) => ensure(bulletinsQuery(filtersIn(place, BulletinQuery)))

export function BulletinListPage() {
  const [filters, setFilters] = useFilters(BulletinQuery)
  const bulletins = useQuery(bulletinsQuery(filters))
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const isNarrowed = Object.keys(filters).some((name) => !['page', 'limit', 'sorted_by'].includes(name))
  // Choices count only for rows that are still on the page.
  const ids = (bulletins.data?.results ?? []).map(({ id }) => id)
  return (
    <Page title="Bulletins">
      <Group gap="md" justify="space-between">
        <Group gap="md">
          <MonitoredFilter monitored={filters.monitored} onChange={setFilters} />
          <WatchSelection
            kind="bulletin"
            ids={ids}
            selected={ids.filter((id) => chosen.has(id))}
            onSelect={(next) => setChosen(new Set(next))}
          />
        </Group>
        <SearchField
          label="Search bulletins"
          value={filters.search}
          onChange={(search) => setFilters({ search }, { replace: true })}
        />
      </Group>
      <BulletinFilters filters={filters} onChange={setFilters} />
      <BulletinTable
        listing={listingFrom(bulletins)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        selection={{ chosen, onChoose: setChosen }}
        empty={
          isNarrowed ? (
            <EmptyState
              title={filters.monitored ? 'No monitored bulletin here' : 'No bulletin matches'}
              text="Search by the id of a bulletin, its vendor or words in its title."
            />
          ) : (
            <EmptyState title="No bulletins yet" text="They come with the feed of CSAF bulletins." />
          )
        }
      />
      <Pager of="bulletins" paging={filters} found={bulletins.data} onChange={setFilters} />
    </Page>
  )
}
