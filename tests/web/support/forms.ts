import { fireEvent, screen } from '@testing-library/react'

export const fill = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

export const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
