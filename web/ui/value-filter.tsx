import { NativeSelect } from '@mantine/core'

type Props<Name extends string, Value extends string> = {
  name: Name
  label: string
  words: Record<Value, string>
  filters: { [name in Name]?: string | undefined }
  onChange: (patch: Record<Name, NoInfer<Value> | undefined>) => void
  /** The word for any value, if the label stands above the choice. */
  any?: string
}

export function ValueFilter<Name extends string, Value extends string>(props: Props<Name, Value>) {
  const { name, label, words, filters, onChange, any } = props
  const options = Object.entries<string>(words).map(([value, text]) => ({ value: value as Value, label: text }))
  const choose = (chosen: string) => {
    const value = options.find((option) => option.value === chosen)?.value
    // A computed name has the type of any string.
    onChange({ [name]: value } as Record<Name, Value | undefined>)
  }
  return (
    <NativeSelect
      {...(any ? { label } : { 'aria-label': label, size: 'xs', maw: 160 })}
      value={filters[name] ?? ''}
      data={[{ value: '', label: any ?? `${label}: any` }, ...options]}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  )
}
