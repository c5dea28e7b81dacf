import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { listingFrom } from '../ui/column'
import type { Listing } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { Pager } from '../ui/pager'
import { SearchField } from '../ui/search-field'
import { GroupSelect } from '../watchlist/group-select'
import { MonitoredFilter } from './monitored-filter'

type Filters<Sort> = {
  monitored?: boolean | undefined
  group?: string | undefined
  search?: string | undefined
  sorted_by?: Sort | undefined
  page: number
  limit: number
}
type Reply<Row> = { count: number; count_is_exact: boolean; results: Row[] }

type Props<Row, Sort> = {
  of: 'vendor' | 'product' | 'package'
  filters: Filters<Sort>
  onChange: (patch: Partial<Filters<Sort>>, how?: { replace: boolean }) => void
  found: Parameters<typeof listingFrom<Row>>[0] & { data: Reply<Row> | undefined }
  hint: string
  children: (table: {
    listing: Listing<Row>
    expected: number
    sort: Sort | undefined
    onSort: (sort: Sort) => void
    empty: ReactNode
  }) => ReactNode
}

/** Filters, table and pages of the vendors, products or packages. */
export function CatalogList<Row, Sort>({ of, filters, onChange, found, hint, children }: Props<Row, Sort>) {
  const all = `${of}s`
  return (
    <>
      <Group gap="md" justify="space-between">
        <Group gap="sm">
          <MonitoredFilter monitored={filters.monitored} onChange={onChange} />
          <GroupSelect group={filters.group} onChange={(group) => onChange({ group: group || undefined, page: 1 })} />
        </Group>
        <SearchField
          label={`Search ${all}`}
          value={filters.search}
          onChange={(search) => onChange({ search }, { replace: true })}
        />
      </Group>
      {children({
        listing: listingFrom(found),
        expected: filters.limit,
        sort: filters.sorted_by,
        onSort: (sorted_by) => onChange({ sorted_by }),
        empty: <EmptyState title={filters.monitored ? `No monitored ${of} here` : `No ${of} matches`} text={hint} />,
      })}
      <Pager of={all} paging={filters} found={found.data} onChange={onChange} />
    </>
  )
}
