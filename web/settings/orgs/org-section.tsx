import { Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createOrg, OrgQuery } from '../../../worker/orgs/contract'
import { duePolicyQuery } from '../../decisions/api'
import { useFilters } from '../../lib/filters'
import { formRules } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { useAccess } from '../../session/access'
import { ChangeButton, DialogButton } from '../../ui/label-button'
import { FormDialog } from '../../ui/form-dialog'
import { HelpLink } from '../../ui/help-link'
import { Later } from '../../ui/later'
import { createOrgMutation, orgsQuery, startSyncMutation } from './api'
import { orgActions, orgColumns } from './org-columns'
import { ListSection } from './section'

export function OrgSection({ below }: { below: ReactNode }) {
  const [filters, setFilters] = useFilters(OrgQuery, { limit: 5 }, 'org_')
  const query = useQuery(orgsQuery(filters))
  // Due dates stand first below, and grow with their policy.
  const due = useQuery(duePolicyQuery)
  const isAdmin = useAccess()('admin')
  return (
    <>
      <ListSection
        title="Organizations"
        actions={
          <>
            <HelpLink topic="organizations" about="organizations and rights" />
            {/* The specification wants it here; Settings → Sync shows its progress. */}
            {isAdmin && <ChangeButton label="Sync data" change={startSyncMutation} given={undefined} />}
            {isAdmin && (
              <DialogButton
                variant="filled"
                label="New organization"
                renderDialog={(close) => <CreateOrgDialog onClose={close} />}
              />
            )}
          </>
        }
        paging={filters}
        onChange={setFilters}
        found={query}
        columns={isAdmin ? [...orgColumns, orgActions] : orgColumns}
        failed="Unable to get organizations"
        hint="Search by any part of its name."
      />
      <Later when={!query.isPending && !due.isPending}>{below}</Later>
    </>
  )
}

const nothing = { name: '', email: '', is_active: true }

function CreateOrgDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ initialValues: nothing, validate: formRules(createOrg) })
  const { isPending, save } = useSaving(createOrgMutation, onClose, form)
  return (
    <FormDialog
      title="New organization"
      action="Create"
      isPending={isPending}
      onSubmit={form.onSubmit(save)}
      onClose={onClose}
    >
      <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
      <TextInput
        type="email"
        label="Owner's e-mail"
        description="Invited when there is no user with this address yet"
        maxLength={254}
        {...form.getInputProps('email')}
      />
      <Switch label="Enabled" {...form.getInputProps('is_active', { type: 'checkbox' })} />
    </FormDialog>
  )
}
