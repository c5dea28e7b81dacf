import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { z } from 'zod'
import type { TokenRow } from '../../../worker/account/access-contract'
import { isPast } from '../../lib/format'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'

export type ApiToken = z.output<typeof TokenRow>
type Props = { tokens: UseQueryResult<ApiToken[]>; onRemove: (token: ApiToken) => void }

const scopes = { read: 'Read only', write: 'Read and write' }

const columns: Column<ApiToken>[] = [
  {
    key: 'name',
    label: 'Name',
    inCard: 'lead',
    cell: ({ name, is_default }) => (
      <span className={classes.name}>
        {name}
        {is_default && <Mark tone="plain">Default</Mark>}
      </span>
    ),
  },
  { key: 'prefix', label: 'Token', cell: ({ prefix }) => <code>{prefix}…</code> },
  { key: 'scope', label: 'Scope', cell: ({ scope }) => scopes[scope] },
  {
    key: 'org',
    label: 'Acts in',
    cell: ({ reach, org_name }) => (reach === 'all' ? 'All your organizations' : org_name),
  },
  { key: 'expires', label: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
  {
    key: 'used',
    label: 'Last used',
    cell: ({ last_used_at }) => (last_used_at ? <Timestamp at={last_used_at} isRelative /> : 'Never'),
  },
]

const actionsColumn = (onRemove: (token: ApiToken) => void): Column<ApiToken> => ({
  key: 'actions',
  label: 'Actions',
  width: 90,
  cell: (token) => (
    <Button variant="default" size="compact-xs" aria-label={`Remove ${token.name}`} onClick={() => onRemove(token)}>
      Remove
    </Button>
  ),
})

export function TokenTable({ tokens: { data: rows, error, refetch }, onRemove }: Props) {
  if (rows?.length === 0) return <p>No API token yet. Make one for each script, so that you can remove it alone.</p>
  return (
    <DataTable
      label="Your API tokens"
      columns={[...columns, actionsColumn(onRemove)]}
      listing={{ rows, isUpdating: false, error, retry: () => void refetch() }}
      expected={2}
      failed="Unable to get API tokens"
      empty={null}
    />
  )
}

function Expiry({ at }: { at: string | null }) {
  if (!at) return 'Never'
  if (isPast(at)) return <Mark tone="alarm">Expired</Mark>
  return <Timestamp at={at} />
}
