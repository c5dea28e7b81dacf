import { Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { renamePasskey } from '../../../worker/account/passkeys-contract'
import { describeDevice } from '../../../worker/domain/people/device'
import { formRules } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { hasPasskeys } from '../../session/passkey'
import { Card } from '../../ui/card'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { DialogButton } from '../../ui/label-button'
import { FormDialog } from '../../ui/form-dialog'
import { Timestamp } from '../../ui/timestamp'
import { Item, CardList } from '../item'
import classes from '../settings.module.css'
import { createPasskeyMutation, passkeysQuery, removePasskeyMutation, renamePasskeyMutation } from './api'

export function PasskeysCard() {
  const query = useQuery(passkeysQuery)
  const canAdd = hasPasskeys()
  return (
    <Card
      title="Passkeys"
      aside={
        <DialogButton
          size="xs"
          label="Add a passkey"
          disabled={!canAdd}
          renderDialog={(close) => <PasskeyDialog onClose={close} />}
        />
      }
    >
      <p className={classes.note}>
        {canAdd
          ? 'Sign in with your fingerprint, face or device PIN instead of the password, or as second factor.'
          : 'This browser cannot make passkeys here: they need https.'}
      </p>
      <CardList label="Passkeys" failed="Unable to get passkeys" query={query}>
        {(passkey) => <PasskeyItem key={passkey.id} passkey={passkey} />}
      </CardList>
    </Card>
  )
}

type Passkey = { id: number; name: string; created_at: string; last_used_at: string | null }

function PasskeyItem({ passkey }: { passkey: Passkey }) {
  const { id, name, created_at, last_used_at } = passkey
  const note = (
    <>
      added <Timestamp at={created_at} /> · {last_used_at ? 'last used ' : 'never used'}
      {last_used_at && <Timestamp at={last_used_at} isRelative />}
    </>
  )
  return (
    <Item name={[<IconKey key="icon" size={16} aria-hidden />, name]} note={note}>
      <Group gap={6} wrap="nowrap">
        <DialogButton
          size="xs"
          label="Rename"
          about={name}
          renderDialog={(close) => <PasskeyDialog passkey={passkey} onClose={close} />}
        />
        <ConfirmButton
          label="Remove"
          about={name}
          look={{ size: 'xs' }}
          title="Remove passkey"
          action="Remove"
          change={removePasskeyMutation}
          given={id}
        >
          Do you really want to remove the passkey <strong>{name}</strong>? It will no longer sign you in.
        </ConfirmButton>
      </Group>
    </Item>
  )
}

function PasskeyDialog({ passkey, onClose }: { passkey?: Passkey; onClose: () => void }) {
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
