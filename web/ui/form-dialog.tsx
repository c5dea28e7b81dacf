import { Modal } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useFocusBack } from './focus-back'
import { Form, FormFoot, type FootProps, type Submit } from './form'

type Props = FootProps & { onClose: () => void; title: string; size?: string; onSubmit: Submit; children: ReactNode }

/** Open as long as it exists. Once something was typed, a press beside it does not close it. */
export function FormDialog({ title, size, onSubmit, children, ...foot }: Props) {
  useFocusBack()
  const [isBegun, setBegun] = useState(false)
  return (
    <Modal opened onClose={foot.onClose} closeOnClickOutside={!isBegun} title={title} size={size}>
      <Form onSubmit={onSubmit} onInput={() => setBegun(true)}>
        {children}
        <FormFoot {...foot} />
      </Form>
    </Modal>
  )
}
