import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, type UseMutationOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { renameInventory, type RemovedInventory } from '../../worker/inventories/contract'
import { formRules } from '../lib/form-rules'
import { useSaving } from '../lib/saving'
import { useAccess } from '../session/access'
import { useReadOnly } from '../session/known-org'
import { FormDialog } from '../ui/form-dialog'
import { RemovedCard } from '../ui/removed-card'
import { removedInventoriesQuery, renameInventoryMutation, restoreInventoryMutation } from './api'
import { inventoryPath } from './open-counts'

const rules = formRules(renameInventory)

type Props<Answer, Given> = {
  action: 'Rename' | 'Restore'
  description: string
  name: string
  change: UseMutationOptions<Answer, Error, Given>
  given: (name: string) => Given
  onSaved?: (answer: Answer) => void
  onClose: () => void
}

function NameDialog<Answer, Given>(props: Props<Answer, Given>) {
  const { action, description, name, change, given, onSaved, onClose } = props
  const form = useForm({ initialValues: { name }, validate: rules })
  const saved = (answer: Answer) => {
    onClose()
    onSaved?.(answer)
  }
  const { isPending, save } = useSaving(change, saved, form)
  return (
    <FormDialog
      title={`${action} the inventory`}
      action={action}
      isPending={isPending}
      onSubmit={form.onSubmit((values) => save(given(values.name)))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description={description}
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}

export function RenameDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate()
  const { search } = useLocation()
  return (
    <NameDialog
      action="Rename"
      description="Builds that send documents by the name before must send them by this one"
      name={name}
      change={renameInventoryMutation}
      given={(to) => ({ name, to })}
      onSaved={(renamed) => {
        if (renamed.name !== name) void navigate(inventoryPath(renamed.name) + search, { replace: true })
      }}
      onClose={onClose}
    />
  )
}

export function RemovedInventories() {
  const { data: rows = [] } = useQuery(removedInventoriesQuery)
  const mayRestore = useAccess()('manageMetadata')
  const [chosen, setChosen] = useState<RemovedInventory>()
  return (
    <RemovedCard
      title="Removed inventories"
      rows={rows}
      nameOf={({ name }) => name}
      onRestore={mayRestore ? setChosen : undefined}
      readOnly={useReadOnly()}
    >
      {chosen && (
        <NameDialog
          action="Restore"
          description="Another one, where an inventory has this name by now"
          name={chosen.name}
          change={restoreInventoryMutation}
          given={(name) => ({ id: chosen.id, name })}
          onClose={() => setChosen(undefined)}
        />
      )}
    </RemovedCard>
  )
}
