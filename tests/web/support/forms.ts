import { fireEvent, screen } from '@testing-library/react'

export const fill = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

export const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

/** A browser sends `submit` to the form; sent to its field, React would read the field as if it were the form, and fail. */
export function submit(label: string) {
  const form = screen.getByLabelText(label).closest('form')
  if (!form) throw new Error(`${label} stands in no form`)
  fireEvent.submit(form)
}
