import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { OrgRow } from '../../../worker/orgs/contract'
import { extendTrialMutation } from './api'
import { useFocusBack } from '../../ui/focus-back'

const maxDays = 365

export function TrialDialog({ org, onClose }: { org: OrgRow; onClose: () => void }) {
  useFocusBack()
  const change = useMutation(extendTrialMutation)
  const form = useForm({ initialValues: { days: '14' }, validate: { days: findProblem } })
  const submit = form.onSubmit(({ days }) => change.mutate({ id: org.id, days: Number(days) }, { onSuccess: onClose }))
  return (
    <Modal opened onClose={onClose} title={`Trial of ${org.name}`} centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            type="number"
            label="Days"
            description="Counted from its end, or from now when that is past"
            min={1}
            max={maxDays}
            data-autofocus
            {...form.getInputProps('days')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Extend
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function findProblem(days: string) {
  const isGood = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= maxDays
  return isGood ? null : `From 1 to ${maxDays} days`
}
