import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { addVuln } from '../../../worker/editing/contract'
import { formRules } from '../../lib/form-rules'
import { createVulnMutation, updateVulnMutation } from './api'
import { useSaving } from '../../lib/saving'
import { FormFoot } from '../../ui/form-dialog'
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
  // An edited vulnerability lists its products by CPE names; products without one are picked by name.
  const [picked, setPicked] = useState(edited ? [] : initial)
  const form = useForm<FormValues>({ initialValues: values, validate: formRules(addVuln) })
  const close = ({ id }: { id: number }) => {
    onClose()
    onSaved?.(id)
  }
  const { isPending, save } = useSaving(edited ? updateVulnMutation(edited) : createVulnMutation, close, form)
  const submit = form.onSubmit((fields) => save({ ...fields, products: picked.map(({ id }) => id) }))
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
        <FormFoot isPending={isPending} onClose={onClose} />
      </Stack>
    </form>
  )
}
