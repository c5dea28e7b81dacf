import { Button, Group, Skeleton, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import type * as z from 'zod'
import { renamePasskey } from '../../../worker/account/passkeys-contract'
import type { PasskeyRow } from '../../../worker/account/passkeys-contract'
import { hasPasskeys } from '../../session/passkey'
import { Card } from '../../ui/card'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { FailedState } from '../../ui/failed-state'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { removePasskeyMutation, passkeysQuery, renamePasskeyMutation, createPasskeyMutation } from './api'
import { useForm } from '@mantine/form'
import { formRules } from '../../lib/form-rules'
import { describeDevice } from '../../../worker/domain/people/device'
import { FormDialog } from '../../ui/form-dialog'
import { useSaving } from '../../lib/saving'

type Passkey = z.output<typeof PasskeyRow>
type Open = { dialog: 'add' } | { dialog: 'rename' | 'remove'; passkey: Passkey }

export function PasskeysCard() {
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const canAdd = hasPasskeys()
  return (
    <Card
      title="Passkeys"
      aside={
        <Button variant="default" size="xs" disabled={!canAdd} onClick={() => setOpen({ dialog: 'add' })}>
          Add a passkey
        </Button>
      }
    >
      <p className={classes.note}>
        {canAdd
          ? 'Sign in with your fingerprint, face or device PIN instead of the password, or as second factor.'
          : 'This browser cannot make passkeys here: they need https.'}
      </p>
      {error && <FailedState title="Unable to get passkeys" error={error} onRetry={() => void refetch()} />}
      {!error && !passkeys && <Skeleton height={40} mt="xs" />}
      <ul className={classes.list}>
        {passkeys?.map((passkey) => (
          <PasskeyItem key={passkey.id} passkey={passkey} onOpen={(dialog) => setOpen({ dialog, passkey })} />
        ))}
      </ul>
      {open?.dialog === 'add' && <PasskeyDialog onClose={close} />}
      {open?.dialog === 'rename' && <PasskeyDialog passkey={open.passkey} onClose={close} />}
      {open?.dialog === 'remove' && (
        <ConfirmDialog
          title="Remove passkey"
          action="Remove"
          change={removePasskeyMutation}
          given={open.passkey.id}
          onClose={close}
        >
          Do you really want to remove the passkey <strong>{open.passkey.name}</strong>? It will no longer sign you in.
        </ConfirmDialog>
      )}
    </Card>
  )
}

type ItemProps = { passkey: Passkey; onOpen: (dialog: 'rename' | 'remove') => void }

function PasskeyItem({ passkey: { name, created_at, last_used_at }, onOpen }: ItemProps) {
  return (
    <li className={classes.item}>
      <div>
        <div className={classes.name}>
          <IconKey size={16} aria-hidden />
          {name}
        </div>
        <p className={classes.note}>
          added <Timestamp at={created_at} /> · {last_used_at ? 'last used ' : 'never used'}
          {last_used_at && <Timestamp at={last_used_at} isRelative />}
        </p>
      </div>
      <Group gap={6} wrap="nowrap">
        <Button variant="default" size="xs" aria-label={`Rename ${name}`} onClick={() => onOpen('rename')}>
          Rename
        </Button>
        <Button variant="default" size="xs" aria-label={`Remove ${name}`} onClick={() => onOpen('remove')}>
          Remove
        </Button>
      </Group>
    </li>
  )
}

type Props = { passkey?: { id: number; name: string }; onClose: () => void }

function PasskeyDialog({ passkey, onClose }: Props) {
  const form = useForm({
    initialValues: { name: passkey?.name ?? describeDevice(navigator.userAgent) },
    validate: formRules(renamePasskey),
  })
  const adding = useSaving(createPasskeyMutation, onClose)
  const renaming = useSaving(renamePasskeyMutation, onClose)
  return (
    <FormDialog
      title={passkey ? 'Rename passkey' : 'Add a passkey'}
      action={passkey ? 'Rename' : 'Add'}
      isPending={adding.isPending || renaming.isPending}
      onSubmit={form.onSubmit(({ name }) => (passkey ? renaming.save({ id: passkey.id, name }) : adding.save(name)))}
      onClose={onClose}
    >
      {!passkey && <Text size="sm">Your browser will ask where to keep it. The name tells you which one it is.</Text>}
      <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
    </FormDialog>
  )
}
