import { Checkbox, NativeSelect, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { vexJustifications } from '../../../worker/domain/vex'
import { ownersQuery } from '../../alerts/snooze-api'
import { reasonWords } from '../../lib/vex-words'
import { useAccess } from '../../session/access'
import { useSession } from '../../session/session'
import { FailedLine } from '../../ui/failed-line'
import type { DecideForm } from './decide-form'

type Props = { form: UseFormReturnType<DecideForm> }

export const JustificationField = ({ form }: Props) => (
  <NativeSelect
    label="Justification"
    description="With a justification, VEX documents state that you are not affected."
    data={[{ value: '', label: 'None' }, ...vexJustifications.map((one) => ({ value: one, label: reasonWords[one] }))]}
    {...form.getInputProps('justification')}
  />
)

const happenings = [
  ['on_fix', 'A fix is published'],
  ['on_kev', 'CISA lists it as exploited (KEV)'],
  ['on_exploit', 'An exploit is seen'],
] as const

export const EventFields = ({ form }: Props) => (
  <>
    <Stack gap={6} role="group" aria-label="Or until one of these happens">
      <Text size="sm" fw={500}>
        Or until one of these happens
      </Text>
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
  </>
)

export const TeamField = ({ form }: Props) => (
  <TextInput label="Owner" description="A person or team" maxLength={100} {...form.getInputProps('owner')} />
)

/** People who may see the members choose one; others become the owner themselves. */
export function MemberField({ form }: Props) {
  const can = useAccess()
  const { user, org } = useSession()
  const members = useQuery(ownersQuery(can('manageOrg')))
  const others = (members.data?.results ?? []).filter((one) => one.org_id === org?.id && one.user !== user?.id)
  if (!user) return null
  return (
    <>
      <Select
        label="Owner"
        description="The person responsible for the risk"
        placeholder={`${user.username} (you)`}
        data={others.map((one) => ({ value: String(one.user), label: one.username }))}
        disabled={!others.length}
        clearable
        {...form.getInputProps('owner_id')}
      />
      <FailedLine text="The members could not be loaded." query={members} />
    </>
  )
}
