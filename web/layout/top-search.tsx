import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Suspense, useId, useRef, useState, type KeyboardEvent, type SubmitEvent } from 'react'
import { useMatches, useNavigate } from 'react-router-dom'
import type { Suggest } from '../ui/suggest'
import classes from './top-bar.module.css'

/** Enter searches everything, unless an arrow key chose something of the list beneath. */
export function TopSearch() {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const { isShown, listId, active, onKeyDown, open, close, suggestions } = useSuggestions(text, setText)
  const search = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    close()
    const term = text.trim()
    if (term) void navigate(`/search/${encodeURIComponent(term)}`)
  }
  return (
    <form role="search" className={classes.search} onSubmit={search}>
      <TextInput
        name="search"
        type="search"
        role="combobox"
        aria-label="Search everything"
        aria-expanded={isShown}
        aria-haspopup="listbox"
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={isShown ? active : undefined}
        onKeyDown={onKeyDown}
        placeholder="CVE, product…"
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={200}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          open()
        }}
        onBlur={close}
      />
      {suggestions && <Suspense>{suggestions}</Suspense>}
    </form>
  )
}

function useSuggestions(text: string, setText: (text: string) => void) {
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState<string>()
  const press = useRef<(event: KeyboardEvent) => void>(undefined)
  const listId = useId()
  const suggest = useSuggest()
  const isShown = isOpen && text.trim() !== '' && suggest !== undefined
  const open = () => setOpen(true)
  const close = () => {
    setOpen(false)
    setActive(undefined)
  }
  const onKeys = (next: (event: KeyboardEvent) => void) => {
    press.current = next
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isOpening = event.key === 'ArrowDown' && !isShown && text.trim() !== ''
    if (!isOpening && !(event.key === 'Escape' && isShown)) return isShown ? press.current?.(event) : undefined
    event.preventDefault()
    return isOpening ? open() : close()
  }
  return {
    isShown,
    listId,
    active,
    onKeyDown,
    open,
    close,
    suggestions: isShown && suggest({ text, listId, onKeys, onActive: setActive, onType: setText, onClose: close }),
  }
}

/** The layout may not import features, so the router hands it what suggests. */
function useSuggest() {
  const handles = useMatches().map(({ handle }) => (handle ?? {}) as { suggest?: Suggest })
  return handles.find(({ suggest }) => suggest)?.suggest
}
