import { useMutation } from '@tanstack/react-query'
import type { OrgRow } from '../../../worker/orgs/contract'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { convertTrialMutation, disableOrgMutation, removeOrgMutation } from './api'
import { InviteDialog } from './invite-dialog'
import { TrialDialog } from './trial-dialog'

export type OpenOrg = { dialog: 'invite' | 'extend' | 'convert' | 'disable' | 'remove'; org: OrgRow }

export function OrgDialogs({ open, onClose }: { open: OpenOrg | undefined; onClose: () => void }) {
  if (!open) return null
  const { dialog, org } = open
  if (dialog === 'invite') return <InviteDialog org={org} onClose={onClose} />
  if (dialog === 'extend') return <TrialDialog org={org} onClose={onClose} />
  if (dialog === 'convert') return <ConvertDialog org={org} onClose={onClose} />
  if (dialog === 'disable') return <DisableDialog org={org} onClose={onClose} />
  return <RemoveDialog org={org} onClose={onClose} />
}

type Props = { org: OrgRow; onClose: () => void }

function ConvertDialog({ org, onClose }: Props) {
  const { isPending, mutate } = useMutation(convertTrialMutation)
  return (
    <ConfirmDialog
      title="Convert the trial"
      action="Convert"
      color="petrol"
      isOpen
      isPending={isPending}
      onConfirm={() => mutate(org.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <strong>{org.name}</strong> becomes a regular organization that does not expire.
    </ConfirmDialog>
  )
}

function DisableDialog({ org, onClose }: Props) {
  const { isPending, mutate } = useMutation(disableOrgMutation)
  return (
    <ConfirmDialog
      title={`Disable ${org.name}?`}
      action="Disable"
      isOpen
      isPending={isPending}
      onConfirm={() => mutate(org.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      Its members lose access to <strong>{org.name}</strong> at once and its alerts stop, until it is enabled again.
      Nothing is deleted.
    </ConfirmDialog>
  )
}

function RemoveDialog({ org, onClose }: Props) {
  const { isPending, mutate } = useMutation(removeOrgMutation)
  return (
    <ConfirmDialog
      title={`Remove ${org.name}`}
      action="Remove"
      isOpen
      isPending={isPending}
      onConfirm={() => mutate(org.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p style={{ marginTop: 0 }}>Do you really want to delete organization ?</p>
      <p style={{ marginBottom: 0 }}>
        Everything that <strong>{org.name}</strong> monitors is deleted, with its alerts and settings.
      </p>
    </ConfirmDialog>
  )
}
