import type { OrgRow } from '../../../worker/orgs/contract'
import { useSaving } from '../../lib/saving'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { convertTrialMutation, disableOrgMutation, removeOrgMutation, extendTrialMutation } from './api'
import { OrgNameField } from '../org-name-field'
import { InviteDialog } from './invite-dialog'
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useForm } from '@mantine/form'
import { FormDialog } from '../../ui/form-dialog'

export const orgDialogs = {
  invite: InviteDialog,
  extend: TrialDialog,
  convert: ConvertDialog,
  disable: DisableDialog,
  remove: RemoveDialog,
}

type Props = { org: OrgRow; onClose: () => void }

function ConvertDialog({ org, onClose }: Props) {
  return (
    <ConfirmDialog
      title="Convert the trial"
      action="Convert"
      color="petrol"
      change={convertTrialMutation}
      given={org.id}
      onClose={onClose}
    >
      <strong>{org.name}</strong> becomes a regular organization that does not expire.
    </ConfirmDialog>
  )
}

function DisableDialog({ org, onClose }: Props) {
  return (
    <ConfirmDialog
      title={`Disable ${org.name}?`}
      action="Disable"
      change={disableOrgMutation}
      given={org.id}
      onClose={onClose}
    >
      Its members lose access to <strong>{org.name}</strong> at once and its alerts stop, until it is enabled again.
      Nothing is deleted.
    </ConfirmDialog>
  )
}

function RemoveDialog({ org, onClose }: Props) {
  const { isPending, save } = useSaving(removeOrgMutation, onClose)
  const [typed, setTyped] = useState('')
  return (
    <FormDialog
      title={`Remove ${org.name}`}
      action="Remove"
      color="red.9"
      isPending={isPending}
      isReady={typed.trim() === org.name}
      onSubmit={() => save(org.id)}
      onClose={onClose}
    >
      <Text size="sm">Do you really want to delete organization ?</Text>
      <Text size="sm">
        Everything that <strong>{org.name}</strong> monitors is deleted, with its alerts and settings.
      </Text>
      <OrgNameField name={org.name} value={typed} onChange={setTyped} />
    </FormDialog>
  )
}

const maxDays = 365

function TrialDialog({ org, onClose }: Props) {
  const { isPending, save } = useSaving(extendTrialMutation, onClose)
  const form = useForm({ initialValues: { days: '14' }, validate: { days: findProblem } })
  return (
    <FormDialog
      title={`Trial of ${org.name}`}
      action="Extend"
      isPending={isPending}
      onSubmit={form.onSubmit(({ days }) => save({ id: org.id, days: Number(days) }))}
      onClose={onClose}
    >
      <TextInput
        type="number"
        label="Days"
        description="Counted from its end, or from now when that is past"
        min={1}
        max={maxDays}
        data-autofocus
        {...form.getInputProps('days')}
      />
    </FormDialog>
  )
}

function findProblem(days: string) {
  const isGood = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= maxDays
  return isGood ? null : `From 1 to ${maxDays} days`
}
