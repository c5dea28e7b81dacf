import { Chip, Group } from '@mantine/core'
import type { ComponentProps } from 'react'
import { EmptyState } from '../ui/empty-state'
import { PagedTable } from '../ui/paged-table'
import { ListHead } from '../ui/search-field'
import { GroupSelect } from '../watchlist/group-select'

type Ordered = { search?: string | undefined; monitored?: boolean | undefined; sorted_by?: string | undefined }

/** A list without sort and filters starts with the most vulnerabilities; a search starts with the best match. */
export const mostFirst = <Query extends Ordered>(query: Query) =>
  query.search || query.monitored || query.sorted_by ? query : { ...query, sorted_by: '-vulns_count' as const }

type Filters<Sort> = {
  monitored?: boolean | undefined
  group?: string | undefined
  search?: string | undefined
  sorted_by?: Sort | undefined
  page: number
  limit: number
}
type Table<Row extends object, Sort extends string> = ComponentProps<typeof PagedTable<Row, Sort>>

type Props<Row extends object, Sort extends string> = Pick<Table<Row, Sort>, 'found' | 'columns' | 'failed'> & {
  of: 'vendor' | 'product' | 'package'
  filters: Filters<Sort>
  onChange: (patch: Partial<Filters<Sort>>, how?: { replace: boolean }) => void
  hint: string
}

/** Filters, table and pages of the vendors, products or packages. */
export function CatalogList<Row extends { id: number }, Sort extends string>(props: Props<Row, Sort>) {
  const { of, filters, onChange, hint, ...table } = props
  return (
    <>
      <ListHead label={`Search ${of}s`} search={filters.search} onChange={onChange}>
        <Group gap="sm">
          <MonitoredFilter monitored={filters.monitored} onChange={onChange} />
          <GroupSelect group={filters.group} onChange={(group) => onChange({ group: group || undefined, page: 1 })} />
        </Group>
      </ListHead>
      <PagedTable
        of={`${of}s`}
        paging={filters}
        onChange={onChange}
        href={({ id }) => `/${of}${of === 'package' ? 's' : ''}/${id}`}
        empty={<EmptyState title={filters.monitored ? `No monitored ${of} here` : `No ${of} matches`} text={hint} />}
        {...table}
      />
    </>
  )
}

type MonitoredFilterProps = {
  monitored: boolean | undefined
  onChange: (patch: { monitored: true | undefined; page: 1 }) => void
}

export function MonitoredFilter({ monitored = false, onChange }: MonitoredFilterProps) {
  return (
    <Chip
      variant="outline"
      checked={monitored}
      onChange={() => onChange({ monitored: monitored ? undefined : true, page: 1 })}
    >
      {monitored ? 'Show all' : 'Show monitored only'}
    </Chip>
  )
}
