import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { restoreInventory } from '../../worker/inventories/contract'
import type { RemovedInventory } from '../../worker/inventories/contract'
import { formRules } from '../lib/form-rules'
import { useAccess } from '../session/access'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'
import { RemovedCard } from '../ui/removed-card'
import { removedInventoriesQuery, restoreInventoryMutation } from './api'
import { useReadOnly } from '../session/known-org'

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
      {chosen && <RestoreDialog inventory={chosen} onClose={() => setChosen(undefined)} />}
    </RemovedCard>
  )
}

function RestoreDialog({ inventory: { id, name }, onClose }: { inventory: RemovedInventory; onClose: () => void }) {
  const form = useForm({ initialValues: { name }, validate: rules })
  const { isPending, save } = useSaving(restoreInventoryMutation, onClose, form)
  return (
    <FormDialog
      title="Restore the inventory"
      action="Restore"
      isPending={isPending}
      onSubmit={form.onSubmit((body) => save({ id, ...body }))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Another one, where an inventory has this name by now"
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}

const rules = formRules(restoreInventory)
