import { NativeSelect } from '@mantine/core'
import { openByArrows } from '../ui/open-by-arrows'
import { useReadOnly } from '../session/known-org'

const choices = [
  { value: '', label: 'Not known' },
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
]

type Props = {
  label?: string
  /** Its label stands elsewhere. */
  isBare?: boolean
  description?: string
  value: boolean | null
  disabled?: boolean
  onChange: (publicly_exposed: boolean | null) => void
}

export const ExposureSelect = ({
  label = 'Publicly exposed',
  isBare = false,
  description,
  value,
  disabled = false,
  onChange,
}: Props) => (
  <NativeSelect
    {...(isBare ? { 'aria-label': label } : { label })}
    maw={420}
    description={description}
    data={choices}
    value={value === null ? '' : value ? 'yes' : 'no'}
    disabled={disabled}
    {...useReadOnly()}
    {...(isBare && { onKeyDown: openByArrows })}
    onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value === 'yes')}
  />
)

export const tellExposure = (publicly_exposed: boolean | null) =>
  publicly_exposed === null ? '' : publicly_exposed ? 'publicly exposed' : 'not exposed'
