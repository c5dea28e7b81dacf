import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { addVuln } from '../../../worker/editing/contract'
import { formErrors, formRules } from '../../lib/form-rules'
import { createVulnMutation, updateVulnMutation } from './api'
import type { Edited } from './api'
import { ProductPicker } from './product-picker'
import type { PickedProduct } from './product-picker'
import { CvssFields, FlagFields, IdentityFields, ListFields, MetricFields } from './vuln-fields'
import type { FormValues } from './vuln-form-values'

type Props = {
  values: FormValues
  picked: PickedProduct[]
  edited?: Edited
  onClose: () => void
  onSaved?: ((id: number) => void) | undefined
}

export function VulnEditor({ values, picked: initial, edited, onClose, onSaved }: Props) {
  const saving = useMutation(edited ? updateVulnMutation(edited) : createVulnMutation)
  // An edited vulnerability lists its products by CPE names; products without one are picked by name.
  const [picked, setPicked] = useState(edited ? [] : initial)
  const form = useForm<FormValues>({ initialValues: values, validate: formRules(addVuln) })
  const submit = form.onSubmit((fields) =>
    saving.mutate(
      { ...fields, products: picked.map(({ id }) => id) },
      {
        onSuccess: ({ id }) => {
          onClose()
          onSaved?.(id)
        },
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  )
  const { products } = form.errors
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <IdentityFields form={form} isNew={edited === undefined} />
        <CvssFields form={form} />
        <MetricFields form={form} />
        <ProductPicker picked={picked} error={typeof products === 'string' ? products : undefined} onPick={setPicked} />
        <ListFields form={form} />
        <FlagFields form={form} />
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
