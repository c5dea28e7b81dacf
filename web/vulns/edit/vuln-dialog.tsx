import { Loader, Modal } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addVuln } from '../../../worker/editing/contract'
import { formRules } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { useFocusBack } from '../../ui/focus-back'
import { Form, FormFoot } from '../../ui/form'
import { Loaded } from '../../ui/loaded'
import { createVulnMutation, editableQuery, updateVulnMutation, type Edited } from './api'
import { ProductPicker, type PickedProduct } from './product-picker'
import { CvssFields, FlagFields, IdentityFields, ListFields, MetricFields } from './vuln-fields'
import { newForm, toFormValues, type FormValues } from './vuln-form-values'

type Props = { id?: number; onClose: () => void; onSaved?: (id: number) => void }

export function VulnDialog({ id, onClose, onSaved }: Props) {
  useFocusBack()
  return (
    <Modal
      centered={false}
      opened
      onClose={onClose}
      title={id === undefined ? 'Add a vulnerability' : `Edit PH-${id}`}
      size="xl"
      closeOnClickOutside={false}
    >
      {id === undefined ? (
        <VulnEditor values={newForm()} picked={[]} onClose={onClose} onSaved={onSaved} />
      ) : (
        <EditForm id={id} onClose={onClose} onSaved={onSaved} />
      )}
    </Modal>
  )
}

const EditForm = ({ id, ...given }: Omit<Props, 'id'> & { id: number }) => (
  <Loaded
    query={useQuery(editableQuery(id))}
    failed="The vulnerability could not be loaded"
    waiting={<Loader aria-label="Loading" />}
  >
    {({ version, form, products }) => (
      <VulnEditor edited={{ id, version }} values={toFormValues(form)} picked={products} {...given} />
    )}
  </Loaded>
)

type EditorProps = {
  values: FormValues
  picked: PickedProduct[]
  edited?: Edited
  onClose: () => void
  onSaved?: ((id: number) => void) | undefined
}

function VulnEditor({ values, picked: initial, edited, onClose, onSaved }: EditorProps) {
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
    <Form onSubmit={submit}>
      <IdentityFields form={form} isNew={edited === undefined} />
      <CvssFields form={form} />
      <MetricFields form={form} />
      <ProductPicker picked={picked} error={typeof products === 'string' ? products : undefined} onPick={setPicked} />
      <ListFields form={form} />
      <FlagFields form={form} />
      <FormFoot isPending={isPending} onClose={onClose} />
    </Form>
  )
}
