import { Button, Switch, TextInput } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { OrgQuery, createOrg } from '../../../worker/orgs/contract'
import { useFilters } from '../../lib/filters'
import { listingFrom } from '../../ui/column'
import { HelpLink } from '../../ui/help-link'
import { EmptyState } from '../../ui/empty-state'
import { Later } from '../../ui/later'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { useAccess } from '../../session/access'
import { orgsQuery, startSyncMutation, createOrgMutation } from './api'
import { OrgDialogs } from './org-dialogs'
import type { OpenOrg } from './org-dialogs'
import { OrgTable } from './org-table'
import { TabSection } from './section'
import { useForm } from '@mantine/form'
import { formRules } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { FormDialog } from '../../ui/form-dialog'

export function OrgSection({ below }: { below: ReactNode }) {
  const [filters, setFilters] = useFilters(OrgQuery, { limit: 5 }, 'org_')
  const orgs = useQuery(orgsQuery(filters))
  const [open, setOpen] = useState<OpenOrg>()
  const [isCreating, setIsCreating] = useState(false)
  const isAdmin = useAccess()('admin')
  return (
    <>
      <TabSection
        title="Organizations"
        actions={
          <>
            <SearchField
              label="Search organizations"
              value={filters.search}
              onChange={(search) => setFilters({ search }, { replace: true })}
            />
            <HelpLink topic="organizations" about="organizations and rights" />
            {isAdmin && <SyncButton />}
            {isAdmin && <Button onClick={() => setIsCreating(true)}>New organization</Button>}
          </>
        }
      >
        <OrgTable
          listing={listingFrom(orgs)}
          expected={filters.limit}
          sort={filters.sorted_by}
          onSort={(sorted_by) => setFilters({ sorted_by })}
          onOpen={setOpen}
          empty={<EmptyState title="No organization matches" text="Search by any part of its name." />}
        />
        <Pager of="organizations" paging={filters} found={orgs.data} onChange={setFilters} />
        {isCreating && <CreateOrgDialog onClose={() => setIsCreating(false)} />}
        <OrgDialogs open={open} onClose={() => setOpen(undefined)} />
      </TabSection>
      <Later when={!orgs.isPending}>{below}</Later>
    </>
  )
}

/** The specification wants it here; Settings → Sync shows its progress. */
function SyncButton() {
  const { isPending, mutate } = useMutation(startSyncMutation)
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      Sync data
    </Button>
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
