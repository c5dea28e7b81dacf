import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import { Fragment } from 'react'
import { Checkbox, Group, NativeSelect, NumberInput, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import {
  accessAuthentications,
  accessComplexities,
  accessVectors,
  impactLevels,
  severity,
} from '../../../worker/domain/scores/cvss'
import { computeCvssScore } from '../../../worker/domain/scores/cvss-score'
import { useSession } from '../../session/session'
import { WhoSees } from '../../session/who-sees'
import { withMetric, withVector, type FormValues } from './vuln-form-values'

type Props = { form: UseFormReturnType<FormValues> }

const words = (values: readonly string[]) => values.map((value) => ({ value, label: value.replace('_', ' ') }))

export function IdentityFields({ form, isNew }: Props & { isNew: boolean }) {
  const { user } = useSession()
  return (
    <>
      <WhoSees
        form={form}
        canShare={isNew && user?.is_admin === true}
        publicNote="Visible to every organization, with what it affects."
        privateNote="Visible to your organization only; its alerts go to nobody else."
      />
      <Textarea label="Summary" withAsterisk autosize minRows={3} data-autofocus {...form.getInputProps('summary')} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput label="CVE id" placeholder="CVE-2026-12345" disabled={!isNew} {...form.getInputProps('cve_id')} />
        <TextInput label="CWE" placeholder="CWE-79" {...form.getInputProps('cwe')} />
        <TextInput label="Published" type="date" {...form.getInputProps('published')} />
      </SimpleGrid>
    </>
  )
}

const versions = [
  { version: 3, vector: 'cvss3_vector', score: 'cvss3', placeholder: 'CVSS:3.1/AV:N/…' },
  { version: 2, vector: 'cvss2_vector', score: 'cvss2', placeholder: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
] as const

export const CvssFields = ({ form }: Props) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
    {versions.map(({ version, vector, score, placeholder }) => {
      const text = form.getValues()[vector]
      const computed = computeCvssScore(text)
      const isRead = computed !== null
      return (
        <Fragment key={version}>
          <TextInput
            label={`CVSS ${version} vector`}
            description="Says the score by itself"
            placeholder={placeholder}
            {...form.getInputProps(vector)}
            onChange={({ currentTarget }) => form.setValues(withVector(vector, currentTarget.value))}
          />
          <NumberInput
            label={`CVSS ${version} score`}
            description={isRead ? `${severity(version, computed)}, by the vector` : 'Without a vector: as stated'}
            min={0}
            max={10}
            step={0.1}
            {...form.getInputProps(score)}
            {...(isRead && { value: computed, readOnly: true })}
          />
        </Fragment>
      )
    })}
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

/** The words of the CVSS 2 vector: each follows the other. */
export const MetricFields = ({ form }: Props) => (
  <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
    {metrics.map(([label, field, values]) => (
      <NativeSelect
        key={field}
        label={label}
        data={words(values)}
        {...form.getInputProps(field)}
        onChange={({ currentTarget }) => form.setValues(withMetric(form.getValues(), field, currentTarget.value))}
      />
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
