import { Loader, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../ui/loaded'
import { editableQuery } from './api'
import { newForm, toFormValues } from './vuln-form-values'
import { VulnEditor } from './vuln-form'
import { useFocusBack } from '../../ui/focus-back'

type Props = { id?: number; onClose: () => void; onSaved?: (id: number) => void }

export function VulnDialog({ id, onClose, onSaved }: Props) {
  useFocusBack()
  return (
    <Modal
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
