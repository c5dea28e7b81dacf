import { Button, Code, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { createView } from '../../worker/views/contract'
import { formErrors, formRules } from '../lib/form-rules'
import { createViewMutation } from './api'
import { useFocusBack } from '../ui/focus-back'

export function SaveViewDialog({ query, onClose }: { query: string; onClose: () => void }) {
  useFocusBack()
  const { isPending, mutate } = useMutation(createViewMutation)
  const form = useForm({ initialValues: { name: '', query, is_shared: false }, validate: formRules(createView) })
  const save = (view: typeof form.values) =>
    mutate(view, { onSuccess: onClose, onError: (error) => form.setErrors(formErrors(error)) })
  return (
    <Modal opened onClose={onClose} title="Save this view" centered>
      <form onSubmit={form.onSubmit(save)}>
        <Stack gap="md">
          <TextInput label="Name" data-autofocus maxLength={80} {...form.getInputProps('name')} />
          <Switch label="Share it with the organization" {...form.getInputProps('is_shared', { type: 'checkbox' })} />
          <Text size="sm" c="dimmed" component="div">
            {query ? <Code block>{readable(query)}</Code> : 'All vulnerabilities, without a filter'}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const readable = (query: string) =>
  [...new URLSearchParams(query)].map(([name, value]) => `${name} = ${value}`).join('\n')
