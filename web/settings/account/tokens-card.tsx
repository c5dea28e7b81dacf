import { Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type * as z from 'zod'
import { createToken, type NewToken, type TokenRow } from '../../../worker/account/access-contract'
import { formRules } from '../../lib/form-rules'
import { isPast } from '../../lib/format'
import { useSaving } from '../../lib/saving'
import { useSession } from '../../session/session'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { ChangeButton, DialogButton } from '../../ui/label-button'
import { CopyField } from '../../ui/copy-field'
import { DataTable } from '../../ui/data-table'
import { useFocusBack } from '../../ui/focus-back'
import { FormFoot } from '../../ui/form'
import { FormDialog } from '../../ui/form-dialog'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { createTokenMutation, removeTokenMutation, renewTokenMutation, tokensQuery } from './api'

export function TokensCard() {
  const { data: rows, error, refetch } = useQuery(tokensQuery)
  const [secret, setSecret] = useState<string>()
  return (
    <div className={classes.wide}>
      <Card
        title="API tokens"
        aside={
          <Group>
            <RenewButton rows={rows} onSecret={setSecret} />
            <DialogButton
              size="xs"
              variant="filled"
              label="New token"
              renderDialog={(close) => <TokenDialog onCreated={setSecret} onClose={close} />}
            />
          </Group>
        }
      >
        <p className={`${classes.note} ${classes.above}`}>
          For scripts: send <code>Authorization: Token …</code> with each call. A token has your rights in the
          organization it is made for, or in all of yours if you choose so.
        </p>
        {rows?.length === 0 ? (
          <p>No API token yet. Make one for each script, so that you can remove it alone.</p>
        ) : (
          <DataTable
            label="Your API tokens"
            columns={columns}
            listing={{ rows, error, refetch }}
            expected={2}
            failed="Unable to get API tokens"
            empty={null}
          />
        )}
      </Card>
      {secret !== undefined && <TokenSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </div>
  )
}

type ApiToken = z.output<typeof TokenRow>
type RenewProps = { rows: ApiToken[] | undefined; onSecret: (secret: string) => void }

function RenewButton({ rows, onSecret }: RenewProps) {
  const onDone = ({ token }: { token: string }) => onSecret(token)
  const renew = { change: renewTokenMutation, given: undefined, onDone }
  if (!rows?.some(({ is_default }) => is_default))
    return <ChangeButton size="xs" disabled={!rows} label="Make a default token" {...renew} />
  return (
    <ConfirmButton
      look={{ size: 'xs' }}
      label="Renew the default token"
      title="Renew the default token"
      action="Renew"
      {...renew}
    >
      Clients that use the current default token stop working until they get the new one.
    </ConfirmButton>
  )
}

function TokenSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  useFocusBack()
  return (
    <Modal opened onClose={onClose} title="Your API token" closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Text size="sm">
          Copy it now: <strong>it is shown only this once.</strong>
        </Text>
        <CopyField label="API token" value={secret} />
        <FormFoot action="I have copied it" isPending={false} onPress={onClose} />
      </Stack>
    </Modal>
  )
}

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
  { label: 'Acts in', cell: ({ reach, org_name }) => (reach === 'all' ? 'All your organizations' : org_name) },
  { label: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
  {
    label: 'Last used',
    cell: ({ last_used_at }) => (last_used_at ? <Timestamp at={last_used_at} isRelative /> : 'Never'),
  },
  {
    label: 'Actions',
    width: 90,
    cell: ({ id, name }) => (
      <ConfirmButton
        look={{ size: 'compact-xs' }}
        label="Remove"
        about={name}
        title="Remove API token"
        action="Remove"
        change={removeTokenMutation}
        given={id}
      >
        Do you really want to remove the token <strong>{name}</strong>? Programs that use it stop working at once.
      </ConfirmButton>
    ),
  },
]

function Expiry({ at }: { at: string | null }) {
  if (!at) return 'Never'
  return isPast(at) ? <Mark tone="alarm">Expired</Mark> : <Timestamp at={at} />
}

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
]

type Reach = z.output<typeof NewToken>['reach']
type TokenDialogProps = { onCreated: (token: string) => void; onClose: () => void }

function TokenDialog({ onCreated, onClose }: TokenDialogProps) {
  const { org } = useSession()
  const reaches: { value: Reach; label: string }[] = [
    { value: 'organization', label: `${org?.name ?? 'Your current organization'} alone` },
    { value: 'all', label: 'All your organizations, as you do' },
  ]
  const { isPending, save } = useSaving(createTokenMutation, ({ token }) => {
    onClose()
    onCreated(token)
  })
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
      <NativeSelect
        label="Scope"
        data={Object.entries(scopes).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('scope')}
      />
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
