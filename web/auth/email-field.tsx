import { TextInput } from '@mantine/core'
import type { TextInputProps } from '@mantine/core'

/** The first field of a form that asks for an address. */
export const EmailField = (props: TextInputProps) => (
  <TextInput label="E-mail" type="email" autoComplete="email" autoFocus maxLength={254} {...props} />
)
