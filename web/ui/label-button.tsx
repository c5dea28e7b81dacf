import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { UseMutationOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSaving } from '../lib/saving'

/** `about` tells the button from others with this label. */
export type Labelled = ButtonProps & { label: string; about?: string; 'aria-label'?: string }

export const LabelButton = ({ label, about, ...button }: Labelled & { onClick: () => void }) => (
  <Button aria-label={about && `${label} ${about}`} {...button}>
    {label}
  </Button>
)

export type ChangeProps<Answer, Given, Result> = {
  change: UseMutationOptions<Answer, Error, Given, Result>
  given: Given
  onDone?: (answer: Answer) => void
}

/** Makes one change, and shows that it does. */
export function ChangeButton<Answer, Given, Result>({
  change,
  given,
  onDone,
  ...button
}: Labelled & ChangeProps<Answer, Given, Result>) {
  const { isPending, save } = useSaving(change, onDone)
  return <LabelButton loading={isPending} onClick={() => save(given)} {...button} />
}

/** Its dialog is open as long as it exists. */
export function DialogButton({
  renderDialog,
  ...button
}: Labelled & { renderDialog: (close: () => void) => ReactNode }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <LabelButton onClick={open} {...button} />
      {isOpen && renderDialog(close)}
    </>
  )
}
