import { Group, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconAlertTriangle, IconLink } from '@tabler/icons-react'
import { AuditQuery, listAudit } from '../../../worker/orgs/contract'
import type { AuditRow } from '../../../worker/orgs/contract'
import { useFilters } from '../../lib/filters'
import { endOfDay, startOfDay } from '../../lib/zone'
import { formatDate } from '../../lib/format'
import { listingFrom } from '../../ui/column'
import type { Column, Listing } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Mark } from '../../ui/mark'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import classes from '../settings.module.css'
import { actionChoices, describeAuditAction } from './words'
import type * as z from 'zod'
import { askPage } from '../../lib/ask'
import type { ReactNode } from 'react'
import { DataTable } from '../../ui/data-table'
import { Timestamp } from '../../ui/timestamp'
import { describeDetail } from './detail'

export function AuditTab() {
  const [filters, setFilters] = useFilters(AuditQuery)
  const audit = useQuery(auditQuery(filters))
  const { action, actor, at__gte, at__lte } = filters
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-end">
        <SearchField label="Who" value={actor} onChange={(text) => setFilters({ actor: text }, { replace: true })} />
        <Select
          label="What"
          placeholder="Anything"
          data={actionChoices}
          value={action ?? null}
          onChange={(choice) => setFilters({ action: choice ?? undefined })}
          w={260}
          searchable
          clearable
        />
        <TextInput
          type="date"
          label="From"
          value={at__gte ? formatDate(at__gte) : ''}
          onChange={(event) => setFilters({ at__gte: startOfDay(event.currentTarget.value) })}
        />
        <TextInput
          type="date"
          label="To"
          value={at__lte ? formatDate(at__lte) : ''}
          onChange={(event) => setFilters({ at__lte: endOfDay(event.currentTarget.value) })}
        />
      </Group>
      <div style={{ visibility: audit.data ? undefined : 'hidden' }}>
        <Chain isIntact={audit.data?.is_intact ?? true} />
      </div>
      <AuditTable
        listing={listingFrom(audit)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={<EmptyState title="No entries" text="Nothing in the log matches these filters." />}
      />
      <Pager of="the audit log" paging={filters} found={audit.data} onChange={setFilters} />
    </Stack>
  )
}

function Chain({ isIntact }: { isIntact: boolean }) {
  if (isIntact)
    return (
      <p className={classes.note}>
        <Mark tone="calm" icon={IconLink}>
          Intact
        </Mark>{' '}
        Every entry shown here is as it was written, and none is missing between them.
      </p>
    )
  return (
    <p className={classes.problem} role="alert">
      <Mark tone="alarm" icon={IconAlertTriangle}>
        Not intact
      </Mark>{' '}
      An entry shown here was changed after it was written, or one was removed.
    </p>
  )
}

const auditQuery = (query: z.output<typeof AuditQuery>) =>
  askPage(['audit', query], listAudit, { query }, 'Unable to get the audit log')

type Sort = 'seq' | '-seq'

const columns: Column<AuditRow, Sort>[] = [
  { label: 'When', sort: ['-seq', 'seq'], width: 140, cell: ({ at }) => <Timestamp at={at} withTime /> },
  { label: 'Who', width: 130, cell: ({ actor }) => actor },
  {
    label: 'What',
    width: 200,
    inCard: 'lead',
    cell: ({ action }) => <span title={action}>{describeAuditAction(action)}</span>,
  },
  { label: 'To whom', width: 130, cell: ({ target }) => target },
  {
    label: 'Detail',
    inCard: 'wide',
    cell: ({ detail }) => {
      const words = describeDetail(detail)
      return words && <p className={classes.note}>{words}</p>
    },
  },
  { label: 'From where', width: 150, cell: ({ ip }) => ip },
]

type Props = {
  listing: Listing<AuditRow>
  expected: number
  empty: ReactNode
  sort: Sort
  onSort: (sort: Sort) => void
}

function AuditTable({ listing, ...props }: Props) {
  const rows = listing.rows?.map((row) => ({ ...row, id: row.seq }))
  return <DataTable label="Audit log" columns={columns} listing={{ ...listing, rows }} {...props} />
}
