import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { useFocusBack } from './focus-back'

type FootProps = {
  /** The label of the button that sends the form. */
  action?: string
  color?: string
  isPending: boolean
  isReady?: boolean
  /** Where nothing may be changed. */
  readOnly?: { disabled?: true; title?: string }
  /** Further buttons, before the others. */
  also?: ReactNode
  /** Without it there is nothing to cancel. */
  onClose?: () => void
}
type Props = FootProps & {
  onClose: () => void
  title: string
  size?: string
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  children: ReactNode
}

/** Open as long as it exists. Once something was typed, a press beside it does not close it. */
export function FormDialog({ title, size, onSubmit, children, ...foot }: Props) {
  useFocusBack()
  const [isBegun, setBegun] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(event)
  }
  return (
    <Modal opened onClose={foot.onClose} closeOnClickOutside={!isBegun} title={title} size={size} centered>
      <form onSubmit={submit} onInput={() => setBegun(true)} noValidate>
        <Stack gap="sm">
          {children}
          <FormFoot {...foot} />
        </Stack>
      </form>
    </Modal>
  )
}

export const FormFoot = ({ action = 'Save', color, isPending, isReady = true, readOnly, also, onClose }: FootProps) => (
  <Group justify="flex-end" gap="xs">
    {also}
    {onClose && (
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
    )}
    <Button
      type="submit"
      color={color}
      loading={isPending}
      title={readOnly?.title}
      disabled={!isReady || readOnly?.disabled}
    >
      {action}
    </Button>
  </Group>
)
