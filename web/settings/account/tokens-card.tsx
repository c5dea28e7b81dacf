import { Button, Group, Modal, Stack, Text, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../ui/card'
import classes from '../settings.module.css'
import { removeTokenMutation, renewTokenMutation, tokensQuery, createTokenMutation } from './api'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { CopyField } from '../../ui/copy-field'
import { useFocusBack } from '../../ui/focus-back'
import { FormDialog } from '../../ui/form-dialog'
import { useSaving } from '../../lib/saving'
import type * as z from 'zod'
import { createToken } from '../../../worker/account/access-contract'
import type { TokenRow, NewToken } from '../../../worker/account/access-contract'
import { isPast } from '../../lib/format'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import { useForm } from '@mantine/form'
import { formRules } from '../../lib/form-rules'
import { useSession } from '../../session/session'

type Open =
  | { dialog: 'create' }
  | { dialog: 'renew' }
  | { dialog: 'remove'; token: ApiToken }
  | { dialog: 'secret'; secret: string }

export function TokensCard() {
  const tokens = useQuery(tokensQuery)
  const [open, setOpen] = useState<Open>()
  const renewing = useMutation(renewTokenMutation)
  const close = () => setOpen(undefined)
  const showSecret = (secret: string) => setOpen({ dialog: 'secret', secret })

  const hasDefault = tokens.data?.some(({ is_default }) => is_default)
  const renew = () => renewing.mutate(undefined, { onSuccess: ({ token }) => showSecret(token) })
  return (
    <div className={classes.wide}>
      <Card
        title="API tokens"
        aside={
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              loading={renewing.isPending}
              disabled={!tokens.data}
              onClick={() => (hasDefault ? setOpen({ dialog: 'renew' }) : renew())}
            >
              {hasDefault ? 'Renew the default token' : 'Make a default token'}
            </Button>
            <Button size="xs" onClick={() => setOpen({ dialog: 'create' })}>
              New token
            </Button>
          </Group>
        }
      >
        <p className={`${classes.note} ${classes.above}`}>
          For scripts: send <code>Authorization: Token …</code> with each call. A token has your rights in the
          organization it is made for, or in all of yours if you choose so.
        </p>
        <TokenTable tokens={tokens} onRemove={(token) => setOpen({ dialog: 'remove', token })} />
      </Card>
      {open && <OpenDialog open={open} onSecret={showSecret} onClose={close} />}
    </div>
  )
}

type OpenProps = { open: Open; onSecret: (secret: string) => void; onClose: () => void }

function OpenDialog({ open, onSecret, onClose }: OpenProps) {
  if (open.dialog === 'create') return <TokenDialog onCreated={onSecret} onClose={onClose} />
  if (open.dialog === 'secret') return <TokenSecret secret={open.secret} onClose={onClose} />
  if (open.dialog === 'renew')
    return (
      <ConfirmDialog
        title="Renew the default token"
        action="Renew"
        change={renewTokenMutation}
        given={undefined}
        onDone={({ token }) => onSecret(token)}
        onClose={onClose}
      >
        Clients that use the current default token stop working until they get the new one.
      </ConfirmDialog>
    )
  const { id, name } = open.token
  return (
    <ConfirmDialog title="Remove API token" action="Remove" change={removeTokenMutation} given={id} onClose={onClose}>
      Do you really want to remove the token <strong>{name}</strong>? Programs that use it stop working at once.
    </ConfirmDialog>
  )
}

function TokenSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  useFocusBack()
  return (
    <Modal opened onClose={onClose} title="Your API token" centered closeOnClickOutside={false} closeOnEscape={false}>
      <Stack gap="sm">
        <Text size="sm">
          Copy it now: <strong>it is shown only this once.</strong>
        </Text>
        <CopyField label="API token" value={secret} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

type ApiToken = z.output<typeof TokenRow>
type TokenTableProps = { tokens: UseQueryResult<ApiToken[]>; onRemove: (token: ApiToken) => void }

const scopes = { read: 'Read only', write: 'Read and write' }

const columns: Column<ApiToken>[] = [
  {
    label: 'Name',
    inCard: 'lead',
    cell: ({ name, is_default }) => (
      <span className={classes.name}>
        {name}
        {is_default && <Mark tone="plain">Default</Mark>}
      </span>
    ),
  },
  { label: 'Token', cell: ({ prefix }) => <code>{prefix}…</code> },
  { label: 'Scope', cell: ({ scope }) => scopes[scope] },
  {
    label: 'Acts in',
    cell: ({ reach, org_name }) => (reach === 'all' ? 'All your organizations' : org_name),
  },
  { label: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
  {
    label: 'Last used',
    cell: ({ last_used_at }) => (last_used_at ? <Timestamp at={last_used_at} isRelative /> : 'Never'),
  },
]

const actionsColumn = (onRemove: (token: ApiToken) => void): Column<ApiToken> => ({
  label: 'Actions',
  width: 90,
  cell: (token) => (
    <Button variant="default" size="compact-xs" aria-label={`Remove ${token.name}`} onClick={() => onRemove(token)}>
      Remove
    </Button>
  ),
})

function TokenTable({ tokens: { data: rows, error, refetch }, onRemove }: TokenTableProps) {
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

type TokenDialogProps = { onCreated: (token: string) => void; onClose: () => void }

type Reach = z.output<typeof NewToken>['reach']

const tokenDialogScopes = [
  { value: 'read', label: 'Read only' },
  { value: 'write', label: 'Read and write' },
]
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
]

function TokenDialog({ onCreated, onClose }: TokenDialogProps) {
  const { org } = useSession()
  const reaches: { value: Reach; label: string }[] = [
    { value: 'organization', label: `${org?.name ?? 'Your current organization'} alone` },
    { value: 'all', label: 'All your organizations, as you do' },
  ]
  const { isPending, save } = useSaving(createTokenMutation, ({ token }) => onCreated(token))
  const form = useForm<{ name: string; scope: 'read' | 'write'; reach: Reach; expires_in_days: string }>({
    initialValues: { name: '', scope: 'read', reach: 'organization', expires_in_days: '90' },
    validate: (fields) => rules(toToken(fields)),
  })
  return (
    <FormDialog
      title="New API token"
      action="Create"
      isPending={isPending}
      onSubmit={form.onSubmit((fields) => save(toToken(fields)))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Its purpose"
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <NativeSelect label="Scope" data={tokenDialogScopes} {...form.getInputProps('scope')} />
      <NativeSelect label="Expires after" data={lifetimes} {...form.getInputProps('expires_in_days')} />
      <NativeSelect label="Acts in" data={reaches} {...form.getInputProps('reach')} />
    </FormDialog>
  )
}

const toToken = <Fields extends { expires_in_days: string }>({ expires_in_days, ...fields }: Fields) => ({
  ...fields,
  expires_in_days: expires_in_days || undefined,
})
const rules = formRules(createToken)
