import '@mantine/core/styles/Alert.css'
import '@mantine/core/styles/Checkbox.css'
import { Alert, Checkbox, Group, Text } from '@mantine/core'
import { mutationOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { leaveOrg, restoreOrg } from '../../../worker/orgs/leaving/contract'
import { call } from '../../lib/call'
import { useSaving } from '../../lib/saving'
import { useAccess } from '../../session/access'
import { orgInfoQuery } from '../../session/known-org'
import { Card } from '../../ui/card'
import { ChangeButton, DialogButton } from '../../ui/label-button'
import { FormDialog } from '../../ui/form-dialog'
import { Timestamp } from '../../ui/timestamp'
import { OrgNameField } from '../org-name-field'
import classes from '../settings.module.css'

const leaveMutation = mutationOptions({
  mutationFn: (body: { name: string; with_account: boolean }) => call(leaveOrg, { body }),
  onSuccess: (_answer, _wish, _result, { client }) => client.invalidateQueries(),
})
const restoreMutation = mutationOptions({
  mutationFn: () => call(restoreOrg),
  onSuccess: (_answer, _none, _result, { client }) => client.invalidateQueries(),
  meta: { success: 'The organization is kept', failure: 'Unable to restore the organization' },
})

export function LeaveOrg() {
  const isAdmin = useAccess()('orgAdmin')
  const { data: org } = useQuery(orgInfoQuery)
  // The organization of those who run Earshot stays.
  if (!isAdmin || !org || org.slug === 'private') return null
  return (
    <div className={classes.wide}>
      <Card title={`The organization ${org.org_name}`}>
        {org.removal_at ? (
          <Text size="sm">
            {org.org_name} is removed with all that belongs to it on <Timestamp at={org.removal_at} />. Until then it
            can be read and exported, and its alerts pause.
          </Text>
        ) : (
          <Text size="sm">
            Removes the organization with all that belongs to it, in 14 days. Until then it can be read and exported,
            and any of its admins can restore it.
          </Text>
        )}
        <Group justify="flex-end" mt="sm">
          {org.removal_at ? (
            <ChangeButton variant="filled" label="Restore it" change={restoreMutation} given={undefined} />
          ) : (
            <DialogButton
              label="Remove the organization"
              renderDialog={(close) => <LeaveDialog name={org.org_name} onClose={close} />}
            />
          )}
        </Group>
      </Card>
    </div>
  )
}

function LeaveDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [withAccount, setWithAccount] = useState(false)
  const { isPending, error, save } = useSaving(leaveMutation, onClose)
  return (
    <FormDialog
      title={`Remove ${name}`}
      action="Remove in 14 days"
      color="red.9"
      isPending={isPending}
      isReady={typed.trim() === name}
      onSubmit={() => save({ name: typed, with_account: withAccount })}
      onClose={onClose}
    >
      <Text size="sm">
        In 14 days its inventories, lists, private vulnerabilities, decisions, alerts, reports and log are deleted, and
        cannot be brought back.
      </Text>
      <OrgNameField name={name} value={typed} onChange={setTyped} />
      <Checkbox
        label="Delete my account with it"
        checked={withAccount}
        onChange={({ currentTarget: { checked } }) => setWithAccount(checked)}
      />
      {error && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
    </FormDialog>
  )
}
