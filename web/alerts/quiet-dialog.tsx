import { Button, Checkbox, Group, Modal, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { QuietKind } from '../../worker/domain/snooze'
import { formErrors } from '../lib/form-rules'
import { useAccess } from '../session/access'
import { useSession } from '../session/session'
import { ownersQuery, saveSnoozeMutation } from './snooze-api'

type Props = { vuln_id: number; kind: QuietKind; isOpen: boolean; onClose: () => void }

export function QuietDialog({ kind, isOpen, onClose, ...props }: Props) {
  const title = kind === 'accepted' ? 'Accept the risk' : 'Snooze until something happens'
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <QuietForm kind={kind} onClose={onClose} {...props} />
    </Modal>
  )
}

const initial = {
  until: '',
  on_fix: false,
  on_kev: false,
  on_exploit: false,
  epss_above: '' as number | string,
  reason: '',
  owner_id: '',
}

function QuietForm({ vuln_id, kind, onClose }: Omit<Props, 'isOpen'>) {
  const isAccepted = kind === 'accepted'
  const saving = useMutation(saveSnoozeMutation(vuln_id))
  const form = useForm({ initialValues: { ...initial, on_kev: isAccepted, on_exploit: isAccepted } })
  const submit = form.onSubmit(({ until, epss_above, owner_id, ...values }) =>
    saving.mutate(
      {
        ...values,
        kind,
        ...(until && { until }),
        ...(epss_above !== '' && { epss_above }),
        ...(owner_id && { owner_id: Number(owner_id) }),
      },
      { onSuccess: onClose, onError: (error) => form.setErrors(formErrors(error)) },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          type="date"
          label={isAccepted ? 'Accepted until' : 'Until a day'}
          withAsterisk={isAccepted}
          data-autofocus
          {...form.getInputProps('until')}
        />
        <Stack gap={6} role="group" aria-label="Or until one of these happens">
          {happenings.map(([name, label]) => (
            <Checkbox key={name} label={label} {...form.getInputProps(name, { type: 'checkbox' })} />
          ))}
        </Stack>
        <NumberInput
          label="EPSS is above"
          description="From 0 to 1. Leave empty to ignore EPSS."
          min={0}
          max={1}
          step={0.05}
          {...form.getInputProps('epss_above')}
        />
        <Textarea
          label="Reason"
          withAsterisk={isAccepted}
          autosize
          minRows={2}
          maxLength={1_000}
          {...form.getInputProps('reason')}
        />
        {isAccepted && <Owner {...form.getInputProps('owner_id')} />}
        <Actions action={isAccepted ? 'Accept the risk' : 'Snooze'} isPending={saving.isPending} onClose={onClose} />
      </Stack>
    </form>
  )
}

const happenings = [
  ['on_fix', 'A fix is published'],
  ['on_kev', 'CISA lists it as exploited (KEV)'],
  ['on_exploit', 'An exploit is seen'],
] as const

type ActionProps = { action: string; isPending: boolean; onClose: () => void }

const Actions = ({ action, isPending, onClose }: ActionProps) => (
  <Group justify="flex-end" gap="xs">
    <Button variant="default" onClick={onClose}>
      Cancel
    </Button>
    <Button type="submit" loading={isPending}>
      {action}
    </Button>
  </Group>
)

/** Who sees the members chooses among them; anybody else owns what they accept. */
function Owner(input: object) {
  const can = useAccess()
  const { user, org } = useSession()
  const members = useQuery(ownersQuery(can('manageOrg')))
  const others = (members.data?.results ?? []).filter((one) => one.org_id === org?.id && one.user !== user?.id)
  if (!user) return null
  return (
    <Select
      label="Owner"
      description="The person responsible for the risk"
      placeholder={`${user.username} (you)`}
      data={others.map((one) => ({ value: String(one.user), label: one.username }))}
      disabled={!others.length}
      clearable
      {...input}
    />
  )
}
