import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { accessAuthentications, accessComplexities, accessVectors, impactLevels } from '../../../worker/domain/cvss'
import { addVuln } from '../../../worker/editing/contract'
import { issuesOf, rulesOf } from '../../lib/form-rules'
import { saveNewVuln, updateVuln } from './api'
import type { Edited } from './api'
import { ProductPicker } from './product-picker'
import type { PickedProduct } from './product-picker'
import type { FormValues } from './vuln-form-values'

type Props = {
  values: FormValues
  picked: PickedProduct[]
  edited?: Edited
  onClose: () => void
  onSaved?: ((id: number) => void) | undefined
}

const words = (values: readonly string[]) => values.map((value) => ({ value, label: value.replace('_', ' ') }))
const perLine = 'One per line, or separated by commas'

export function VulnForm({ values, picked: given, edited, onClose, onSaved }: Props) {
  const saving = useMutation(edited ? updateVuln(edited) : saveNewVuln)
  // What is affected is written in full by its CPE names; products without one are picked by name.
  const [picked, setPicked] = useState(edited ? [] : given)
  const form = useForm<FormValues>({ initialValues: values, validate: rulesOf(addVuln) })
  const submit = form.onSubmit((fields) =>
    saving.mutate(
      { ...fields, products: picked.map(({ id }) => id) },
      {
        onSuccess: ({ id }) => {
          onClose()
          onSaved?.(id)
        },
        onError: (error) => form.setErrors(issuesOf(error)),
      },
    ),
  )
  const { products } = form.errors
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Textarea label="Summary" withAsterisk autosize minRows={3} data-autofocus {...form.getInputProps('summary')} />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <TextInput
            label="CVE id"
            placeholder="CVE-2026-12345"
            disabled={edited !== undefined}
            {...form.getInputProps('cve_id')}
          />
          <TextInput label="CWE" placeholder="CWE-79" {...form.getInputProps('cwe')} />
          <TextInput label="Published" type="date" {...form.getInputProps('published')} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput label="CVSS 3 vector" placeholder="CVSS:3.1/AV:N/…" {...form.getInputProps('cvss3_vector')} />
          <NumberInput label="CVSS 3 score" min={0} max={10} step={0.1} {...form.getInputProps('cvss3')} />
          <TextInput
            label="CVSS 2 vector"
            placeholder="AV:N/AC:L/Au:N/C:P/I:P/A:P"
            {...form.getInputProps('cvss2_vector')}
          />
          <NumberInput label="CVSS 2 score" min={0} max={10} step={0.1} {...form.getInputProps('cvss2')} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
          <NativeSelect label="Access vector" data={words(accessVectors)} {...form.getInputProps('access_vector')} />
          <NativeSelect
            label="Access complexity"
            data={words(accessComplexities)}
            {...form.getInputProps('access_complexity')}
          />
          <NativeSelect
            label="Authentication"
            data={words(accessAuthentications)}
            {...form.getInputProps('access_authentication')}
          />
          <NativeSelect
            label="Confidentiality"
            data={words(impactLevels)}
            {...form.getInputProps('impact_confidentiality')}
          />
          <NativeSelect label="Integrity" data={words(impactLevels)} {...form.getInputProps('impact_integrity')} />
          <NativeSelect
            label="Availability"
            data={words(impactLevels)}
            {...form.getInputProps('impact_availability')}
          />
        </SimpleGrid>
        <ProductPicker picked={picked} error={typeof products === 'string' ? products : undefined} onPick={setPicked} />
        <Textarea
          label="CPE names"
          description={perLine}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('cpes')}
        />
        <Textarea
          label="References"
          description={perLine}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('references')}
        />
        <Group gap="md">
          <Checkbox label="Exploitable" {...form.getInputProps('is_exploitable', { type: 'checkbox' })} />
          <Checkbox label="Confirmed" {...form.getInputProps('is_confirmed', { type: 'checkbox' })} />
          <Checkbox label="Relayed in the News" {...form.getInputProps('is_in_the_news', { type: 'checkbox' })} />
          <Checkbox label="Exploited in the Wild" {...form.getInputProps('is_in_the_wild', { type: 'checkbox' })} />
          <Checkbox label="Monitored" {...form.getInputProps('monitored', { type: 'checkbox' })} />
        </Group>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
