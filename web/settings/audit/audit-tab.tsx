import { Group, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconAlertTriangle, IconLink } from '@tabler/icons-react'
import { AuditQuery, listAudit, type AuditRow } from '../../../worker/orgs/contract'
import { useFilters } from '../../lib/filters'
import { endOfDay, startOfDay } from '../../lib/zone'
import { formatDate } from '../../lib/format'
import type { Column } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Mark } from '../../ui/mark'
import { PagedTable } from '../../ui/paged-table'
import { SearchField } from '../../ui/search-field'
import classes from '../settings.module.css'
import { actionChoices, describeAuditAction } from './words'
import type * as z from 'zod'
import { askPage } from '../../lib/ask'
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
      <PagedTable
        of="the audit log"
        label="Audit log"
        columns={columns}
        rowId={({ seq }) => seq}
        found={audit}
        paging={filters}
        onChange={setFilters}
        empty={<EmptyState title="No entries" text="Nothing in the log matches these filters." />}
      />
    </Stack>
  )
}

const intact = { tone: 'calm', icon: IconLink, children: 'Intact' } as const
const broken = { tone: 'alarm', icon: IconAlertTriangle, children: 'Not intact' } as const

const Chain = ({ isIntact }: { isIntact: boolean }) =>
  isIntact ? (
    <p className={classes.note}>
      <Mark {...intact} /> Every entry shown here is as it was written, and none is missing between them.
    </p>
  ) : (
    <p className={classes.problem} role="alert">
      <Mark {...broken} /> An entry shown here was changed after it was written, or one was removed.
    </p>
  )

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
