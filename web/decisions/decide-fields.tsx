import '@mantine/core/styles/NumberInput.css'
import { Checkbox, NativeSelect, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { vexJustifications } from '../../worker/domain/decisions/vex'
import { assigneesQuery } from './api'
import { reasonWords } from '../lib/vex-words'
import { useSession } from '../session/session'
import { FailedLine } from '../ui/failed-line'
import type { DecideForm } from './decide-form'

type Props = { form: UseFormReturnType<DecideForm> }

const justifications = vexJustifications.map((value) => ({ value, label: reasonWords[value] }))

export const JustificationField = ({ form, isOptional = false }: Props & { isOptional?: boolean }) => (
  <NativeSelect
    label="Justification"
    description="With a justification, VEX documents state that you are not affected."
    withAsterisk={!isOptional}
    data={[{ value: '', label: isOptional ? 'None' : 'Choose one' }, ...justifications]}
    {...form.getInputProps('justification')}
  />
)

const happenings = [
  ['on_fix', 'A fix is published'],
  ['on_kev', 'CISA lists it as exploited (KEV)'],
  ['on_exploit', 'An exploit is seen'],
] as const

const epssChoices = [
  { value: 'percentile', label: 'Percentile: its rank among all vulnerabilities' },
  { value: 'probability', label: 'Probability of exploitation within 30 days' },
]

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
    <NativeSelect label="EPSS is measured by" data={epssChoices} {...form.getInputProps('epss_by')} />
    {form.values.epss_by === 'percentile' ? (
      <NumberInput
        label="EPSS is higher than that of"
        description="Of 100 vulnerabilities: 95 means the highest twentieth. Leave empty to ignore EPSS."
        min={0}
        max={100}
        {...form.getInputProps('epss_above')}
      />
    ) : (
      <NumberInput
        label="EPSS is above"
        description="From 0 to 1. It means something else once FIRST changes its model. Leave empty to ignore EPSS."
        min={0}
        max={1}
        step={0.05}
        {...form.getInputProps('epss_above')}
      />
    )}
  </>
)

export const FixField = ({ form }: Props) => (
  <TextInput
    label="Upgrade to"
    description="The version you will upgrade to. It is part of the VEX document."
    maxLength={100}
    {...form.getInputProps('fix')}
  />
)

export const TeamField = ({ form }: Props) => (
  <TextInput label="Owner" description="A person or team" maxLength={100} {...form.getInputProps('owner')} />
)

export function MemberField({ form }: Props) {
  const { user } = useSession()
  const members = useQuery(assigneesQuery)
  const others = (members.data?.results ?? []).filter(({ id }) => id !== user?.id)
  if (!user) return null
  return (
    <>
      <Select
        label="Owner"
        description="The person responsible for the risk"
        placeholder={`${user.username} (you)`}
        data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
        disabled={!others.length}
        clearable
        {...form.getInputProps('owner_id')}
      />
      <FailedLine text="The members could not be loaded." query={members} />
    </>
  )
}
