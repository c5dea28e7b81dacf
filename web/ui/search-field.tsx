import { CloseButton, Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'

const debounce_ms = 500

type Props = { label: string; value: string | undefined; onChange: (text: string) => void }

export function SearchField({ label, value = '', onChange }: Props) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim()
    onChange(sent.current)
  }, debounce_ms)

  // The URL also changes by the back button: then it wins over what was typed.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])

  const type = (typed: string) => {
    setText(typed)
    send(typed)
  }
  const clear = () => {
    type('')
    send.flush()
  }
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={clear} />}
      w={{ base: '100%', xs: 260 }}
      value={text}
      maxLength={200}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && send.flush()}
    />
  )
}

type HeadProps = {
  label: string
  search: string | undefined
  onChange: (patch: { search: string }, how: { replace: boolean }) => void
  /** Where the filters have labels above them. */
  align?: 'end'
  children?: ReactNode
}

/** The filters of a list, and its search beside them. */
export const ListHead = ({ label, search, onChange, align, children }: HeadProps) => (
  <Group gap="md" justify={children ? 'space-between' : 'flex-end'} align={align}>
    {children}
    <SearchField label={label} value={search} onChange={(text) => onChange({ search: text }, { replace: true })} />
  </Group>
)
