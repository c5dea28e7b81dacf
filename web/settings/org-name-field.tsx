import { TextInput } from '@mantine/core'

type Props = { name: string; value: string; onChange: (value: string) => void }

/** The remover of an organization types its name first: nothing brings it back. */
export const OrgNameField = ({ name, value, onChange }: Props) => (
  <TextInput
    label="Name of the organization"
    description={`Type ${name}`}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    data-autofocus
  />
)
