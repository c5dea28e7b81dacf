import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconX } from '@tabler/icons-react'
import { BulletinQuery, type BulletinRow } from '../../../worker/kb/bulletins/contract'
import { useFilters } from '../../lib/filters'
import { EmptyState } from '../../ui/empty-state'
import { Page } from '../../ui/page'
import { PagedTable } from '../../ui/paged-table'
import { selectColumn } from '../../ui/select-column'
import { ListHead } from '../../ui/search-field'
import { WatchSelection } from '../../watchlist/watch-selection'
import { bulletinColumns } from './bulletin-columns'
import { bulletinsQuery } from './api'
import { MonitoredFilter } from '../catalog-list'
import { ensure, filtersIn, type Place } from '../../lib/ensure'

export const startBulletins = (place: Place) => ensure(bulletinsQuery(filtersIn(place, BulletinQuery)))

export function BulletinListPage() {
  const [filters, setFilters] = useFilters(BulletinQuery)
  const bulletins = useQuery(bulletinsQuery(filters))
  const [chosen, onChoose] = useState<ReadonlySet<number>>(new Set())
  const selection = { chosen, onChoose }
  const isNarrowed = Object.keys(filters).some((name) => !['page', 'limit', 'sorted_by'].includes(name))
  return (
    <Page title="Bulletins">
      <ListHead label="Search bulletins" search={filters.search} onChange={setFilters}>
        <Group gap="md">
          <MonitoredFilter monitored={filters.monitored} onChange={setFilters} />
          <WatchSelection kind="bulletin" rows={bulletins.data?.results} {...selection} />
        </Group>
      </ListHead>
      <BulletinFilters filters={filters} onChange={setFilters} />
      <PagedTable
        of="bulletins"
        found={bulletins}
        paging={filters}
        onChange={setFilters}
        columns={[selectColumn(selection, ({ publicid }: BulletinRow) => publicid), ...bulletinColumns]}
        href={({ id }) => `/kb/bulletins/${id}`}
        failed="unable to get bulletins"
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
    </Page>
  )
}

const named = [
  ['vendor', 'Vendor'],
  ['severity', 'Severity'],
  ['cveid', 'CVE'],
] as const
type Field = (typeof named)[number][0]

type BulletinFiltersProps = {
  filters: Pick<BulletinQuery, Field>
  onChange: (patch: Partial<Record<Field, undefined>>) => void
}

function BulletinFilters({ filters, onChange }: BulletinFiltersProps) {
  const set = named.filter(([field]) => filters[field])
  if (set.length === 0) return null
  return (
    <Group gap={6}>
      {set.map(([field, label]) => (
        <Button
          key={field}
          variant="light"
          size="compact-sm"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`${label} ${filters[field]}: remove this filter`}
          onClick={() => onChange({ [field]: undefined })}
        >
          {label} {filters[field]}
        </Button>
      ))}
    </Group>
  )
}
