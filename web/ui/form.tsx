import { Button, Group, Stack, type ButtonProps, type ElementProps, type StackProps } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'

export type Submit = (event: FormEvent<HTMLFormElement>) => void
type FormProps = Pick<StackProps, 'gap' | 'mt'> & { onSubmit: Submit; onInput?: () => void; children: ReactNode }

export function Form({ onSubmit, onInput, children, ...look }: FormProps) {
  const submit: Submit = (event) => {
    event.preventDefault()
    // A dialog that a part of this form opens has a form of its own.
    if (event.target === event.currentTarget) onSubmit(event)
  }
  return (
    <form onSubmit={submit} onInput={onInput} noValidate>
      <Stack {...look}>{children}</Stack>
    </form>
  )
}

export type FootProps = {
  /** The label of the button that sends the form. */
  action?: string
  color?: string
  isPending: boolean
  isReady?: boolean
  /** Where nothing may be changed. */
  readOnly?: { disabled?: true; title?: string }
  /** Further buttons, before the others. */
  also?: ReactNode
  /** Where there is no form to send. */
  onPress?: () => void
  /** Without it there is nothing to cancel. */
  onClose?: () => void
  cancel?: string
  /** Where the focus begins. */
  focused?: 'cancel' | 'action'
}

export function FormFoot({ action = 'Save', isReady = true, readOnly, also, onPress, onClose, ...foot }: FootProps) {
  const { color, cancel = 'Cancel', isPending, focused } = foot
  return (
    <Group justify="flex-end">
      {also}
      {onClose && (
        <Button onClick={onClose} data-autofocus={focused === 'cancel' || undefined}>
          {cancel}
        </Button>
      )}
      <SubmitButton
        type={onPress ? 'button' : 'submit'}
        data-autofocus={focused === 'action' || undefined}
        color={color}
        loading={isPending}
        title={readOnly?.title}
        disabled={!isReady || readOnly?.disabled}
        onClick={onPress}
      >
        {action}
      </SubmitButton>
    </Group>
  )
}

export const SubmitButton = (props: ButtonProps & ElementProps<'button', keyof ButtonProps>) => (
  <Button variant="filled" type="submit" {...props} />
)
