import { ActionIcon, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import type { AwaitedName } from '../../worker/monitoring/awaited-contract'
import { listingFrom } from '../ui/column'
import type { Column } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'
import { Pager } from '../ui/pager'
import { Timestamp } from '../ui/timestamp'
import { awaitedQuery, forgetMutation } from './api'
import { Labels } from './labels'
import { useReadOnly } from '../session/known-org'

type Row = AwaitedName & { id: string }

const columns: Column<Row>[] = [
  { label: 'Type', width: 110, cell: ({ kind }) => kind },
  { label: 'Name', inCard: 'lead', cell: ({ value }) => <Text fw={600}>{value}</Text> },
  { label: 'Groups', cell: ({ groups }) => <Labels labels={groups} /> },
  { label: 'Versions that you run', cell: ({ versions }) => <Labels labels={versions} none="any" /> },
  { label: 'Waiting since', width: 130, cell: ({ created_at }) => <Timestamp at={created_at} /> },
  { label: 'Actions', width: 76, cell: (row) => <Forget row={row} /> },
]

const limit = 10
export const firstAwaited = { page: 1, limit }

export function AwaitedList() {
  const [params, setParams] = useSearchParams()
  const page = Math.max(1, Number(params.get('page')) || 1)
  const awaited = useQuery(awaitedQuery({ page, limit }))
  const { rows, ...listing } = listingFrom(awaited)
  return (
    <>
      <Text size="sm" c="dimmed">
        These names are not in the knowledge base yet. As soon as they are, you monitor them.
      </Text>
      <DataTable
        label="Awaited names"
        columns={columns}
        listing={{ ...listing, rows: rows?.map((row) => ({ ...row, id: `${row.kind} ${row.value}` })) }}
        expected={limit}
        empty={
          <EmptyState
            title="No name is waiting"
            text="Names from an imported list that are not known yet are listed here."
          />
        }
      />
      <Pager
        of="names"
        paging={{ page, limit }}
        found={awaited.data}
        onChange={(change) => setParams({ tab: 'awaited', page: String(change.page ?? 1) })}
      />
    </>
  )
}

function Forget({ row: { kind, value } }: { row: Row }) {
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
