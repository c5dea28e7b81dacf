import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useLocation, useNavigate } from 'react-router-dom'
import { renameInventory } from '../../worker/inventories/change-contract'
import { formRules } from '../lib/form-rules'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'
import { renameInventoryMutation } from './api'
import { inventoryPath } from './open-counts'

const rules = formRules(renameInventory)

export function RenameDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate()
  const form = useForm({ initialValues: { name }, validate: rules })
  const { search } = useLocation()
  const { isPending, save } = useSaving(
    renameInventoryMutation,
    (renamed) => {
      onClose()
      if (renamed.name !== name) void navigate(inventoryPath(renamed.name) + search, { replace: true })
    },
    form,
  )
  const rename = ({ name: to }: { name: string }) => save({ name, to })
  return (
    <FormDialog
      title="Rename the inventory"
      action="Rename"
      isPending={isPending}
      onSubmit={form.onSubmit(rename)}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Builds that send documents by the name before must send them by this one"
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}
