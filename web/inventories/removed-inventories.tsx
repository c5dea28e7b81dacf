import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { restoreInventory } from '../../worker/inventories/contract'
import type { RemovedInventory } from '../../worker/inventories/contract'
import { formErrors, formRules } from '../lib/form-rules'
import { useAccess } from '../session/access'
import { useFocusBack } from '../ui/focus-back'
import { RemovedCard } from '../ui/removed-card'
import { removedInventoriesQuery, restoreInventoryMutation } from './api'

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
    >
      {chosen && <RestoreDialog inventory={chosen} onClose={() => setChosen(undefined)} />}
    </RemovedCard>
  )
}

function RestoreDialog({ inventory: { id, name }, onClose }: { inventory: RemovedInventory; onClose: () => void }) {
  useFocusBack()
  const restoring = useMutation(restoreInventoryMutation)
  const form = useForm({ initialValues: { name }, validate: rules })
  const submit = form.onSubmit((body) =>
    restoring.mutate({ id, ...body }, { onSuccess: onClose, onError: (error) => form.setErrors(formErrors(error)) }),
  )
  return (
    <Modal opened onClose={onClose} title="Restore the inventory" centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="Another one, where an inventory has this name by now"
            data-autofocus
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={restoring.isPending}>
              Restore
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const rules = formRules(restoreInventory)
