import { Checkbox, Group, NativeSelect, NumberInput, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import {
  accessAuthentications,
  accessComplexities,
  accessVectors,
  impactLevels,
} from '../../../worker/domain/scores/cvss'
import type { FormValues } from './vuln-form-values'

type Props = { form: UseFormReturnType<FormValues> }

const words = (values: readonly string[]) => values.map((value) => ({ value, label: value.replace('_', ' ') }))

export function IdentityFields({ form, isNew }: Props & { isNew: boolean }) {
  return (
    <>
      <Textarea label="Summary" withAsterisk autosize minRows={3} data-autofocus {...form.getInputProps('summary')} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput label="CVE id" placeholder="CVE-2026-12345" disabled={!isNew} {...form.getInputProps('cve_id')} />
        <TextInput label="CWE" placeholder="CWE-79" {...form.getInputProps('cwe')} />
        <TextInput label="Published" type="date" {...form.getInputProps('published')} />
      </SimpleGrid>
    </>
  )
}

export const CvssFields = ({ form }: Props) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
    <TextInput label="CVSS 3 vector" placeholder="CVSS:3.1/AV:N/…" {...form.getInputProps('cvss3_vector')} />
    <NumberInput label="CVSS 3 score" min={0} max={10} step={0.1} {...form.getInputProps('cvss3')} />
    <TextInput label="CVSS 2 vector" placeholder="AV:N/AC:L/Au:N/C:P/I:P/A:P" {...form.getInputProps('cvss2_vector')} />
    <NumberInput label="CVSS 2 score" min={0} max={10} step={0.1} {...form.getInputProps('cvss2')} />
  </SimpleGrid>
)

const metrics = [
  ['Access vector', 'access_vector', accessVectors],
  ['Access complexity', 'access_complexity', accessComplexities],
  ['Authentication', 'access_authentication', accessAuthentications],
  ['Confidentiality', 'impact_confidentiality', impactLevels],
  ['Integrity', 'impact_integrity', impactLevels],
  ['Availability', 'impact_availability', impactLevels],
] as const

export const MetricFields = ({ form }: Props) => (
  <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
    {metrics.map(([label, field, values]) => (
      <NativeSelect key={field} label={label} data={words(values)} {...form.getInputProps(field)} />
    ))}
  </SimpleGrid>
)

const lists = [
  ['CPE names', 'cpes'],
  ['References', 'references'],
] as const

export const ListFields = ({ form }: Props) => (
  <>
    {lists.map(([label, field]) => (
      <Textarea
        key={field}
        label={label}
        description="One per line, or separated by commas"
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps(field)}
      />
    ))}
  </>
)

const flags = [
  ['Exploitable', 'is_exploitable'],
  ['Confirmed', 'is_confirmed'],
  ['Relayed in the News', 'is_in_the_news'],
  ['Exploited in the Wild', 'is_in_the_wild'],
  ['Monitored', 'monitored'],
] as const

export const FlagFields = ({ form }: Props) => (
  <Group gap="md">
    {flags.map(([label, field]) => (
      <Checkbox key={field} label={label} {...form.getInputProps(field, { type: 'checkbox' })} />
    ))}
  </Group>
)
