import { ActionIcon, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AwaitedName } from '../../worker/monitoring/import-contract'
import { PagingQuery, useFilters } from '../lib/filters'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { PagedTable } from '../ui/paged-table'
import { Timestamp } from '../ui/timestamp'
import { awaitedQuery, forgetMutation, itemDefaults } from './api'
import { Labels } from './labels'
import { useReadOnly } from '../session/known-org'

const columns: Column<AwaitedName>[] = [
  { label: 'Type', width: 110, cell: ({ kind }) => kind },
  { label: 'Name', inCard: 'lead', cell: ({ value }) => <Text fw={600}>{value}</Text> },
  { label: 'Groups', cell: ({ groups }) => <Labels labels={groups} /> },
  { label: 'Versions that you run', cell: ({ versions }) => <Labels labels={versions} none="any" /> },
  { label: 'Waiting since', width: 130, cell: ({ created_at }) => <Timestamp at={created_at} /> },
  { label: 'Actions', width: 76, cell: (row) => <Forget row={row} /> },
]

export function AwaitedList() {
  const [paging, setPaging] = useFilters(PagingQuery, itemDefaults)
  return (
    <>
      <Text size="sm" c="dimmed">
        These names are not in the knowledge base yet. As soon as they are, you monitor them.
      </Text>
      <PagedTable
        of="names"
        label="Awaited names"
        found={useQuery(awaitedQuery(paging))}
        paging={paging}
        onChange={setPaging}
        columns={columns}
        rowId={({ kind, value }) => `${kind} ${value}`}
        empty={
          <EmptyState
            title="No name is waiting"
            text="Names from an imported list that are not known yet are listed here."
          />
        }
      />
    </>
  )
}

function Forget({ row: { kind, value } }: { row: AwaitedName }) {
  const { isPending, mutate } = useMutation(forgetMutation)
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Stop waiting for ${value}`}
      loading={isPending}
      onClick={() => mutate({ kind, value })}
      {...useReadOnly()}
    >
      <IconX size={18} aria-hidden />
    </ActionIcon>
  )
}
