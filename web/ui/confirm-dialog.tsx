import { Text, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSaving } from '../lib/saving'
import { FormDialog } from './form-dialog'
import { DialogButton, type ChangeProps, type Labelled } from './label-button'

type Question<Answer, Given, Result> = ChangeProps<Answer, Given, Result> & {
  title: string
  /** The label of the confirming button. */
  action: string
  color?: string
  children: ReactNode
}

/** Closes when the change is made. */
export function ConfirmDialog<Answer, Given, Result>({
  change,
  given,
  onClose,
  onDone,
  children,
  ...dialog
}: Question<Answer, Given, Result> & { onClose: () => void }) {
  const { isPending, save } = useSaving(change, (answer) => {
    onClose()
    onDone?.(answer)
  })
  return (
    <FormDialog
      color="red.9"
      focused="cancel"
      isPending={isPending}
      onSubmit={() => save(given)}
      onClose={onClose}
      {...dialog}
    >
      <Text component="div" size="sm">
        {children}
      </Text>
    </FormDialog>
  )
}

/** Asks before it makes its change. */
export const ConfirmButton = <Answer, Given, Result>({
  label,
  about,
  look,
  ...question
}: Pick<Labelled, 'label' | 'about'> & { look?: ButtonProps } & Question<Answer, Given, Result>) => (
  <DialogButton
    label={label}
    about={about}
    {...look}
    renderDialog={(close) => <ConfirmDialog {...question} onClose={close} />}
  />
)
