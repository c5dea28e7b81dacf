import { NativeSelect } from '@mantine/core'

type Props<Value extends string> = {
  label: string
  words: Record<Value, string>
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}

export function ValueFilter<Value extends string>({ label, words, value, onChange }: Props<Value>) {
  const options = Object.entries<string>(words).map(([name, text]) => ({ value: name as Value, label: text }))
  return (
    <NativeSelect
      size="xs"
      maw={160}
      aria-label={label}
      value={value ?? ''}
      data={[{ value: '', label: `${label}: any` }, ...options]}
      onChange={({ currentTarget }) => onChange(options.find((one) => one.value === currentTarget.value)?.value)}
    />
  )
}
