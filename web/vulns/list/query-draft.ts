import { useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { parseQuery } from '../../../worker/domain/query/parse'
import { useCompletion } from './use-completion'

const settled_ms = 600

/** A query while it is typed. It is called wrong only when typing pauses. */
export function useQueryDraft(q: string, onSearch: (q: string) => void) {
  const [draft, setDraft] = useState(q)
  const [cursor, setCursor] = useState(q.length)
  const [settled] = useDebouncedValue(draft, settled_ms)
  const sent = useRef(q)
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number>(undefined)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { options, apply } = useCompletion(draft, cursor, combobox.dropdownOpened)
  const { problem } = parseQuery(draft)

  // A pill that is taken away, a saved view or the back button changes the query too: then it wins over the draft.
  useEffect(() => {
    if (q === sent.current) return
    sent.current = q
    setDraft(q)
  }, [q])

  // Before the next key: the browser puts the caret at the end of a text that it is given.
  useLayoutEffect(() => {
    if (caret.current !== undefined) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })

  const type = (text: string, at: number) => {
    setDraft(text)
    setCursor(at)
    combobox.openDropdown()
    combobox.resetSelectedOption()
  }
  const choose = (option: string) => {
    const next = apply(option)
    type(next.text, next.cursor)
    caret.current = next.cursor
  }
  const search = () => {
    combobox.closeDropdown()
    if (problem) return
    sent.current = draft.trim()
    onSearch(sent.current)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') return combobox.closeDropdown()
    if (event.key !== 'Enter' || (combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0)) return
    event.preventDefault()
    search()
  }
  const isSettled = settled === draft || draft === q
  const shownProblem = isSettled ? problem : undefined
  return { draft, input, combobox, options, problem: shownProblem, type, setCursor, choose, search, onKeyDown }
}
export type QueryDraft = ReturnType<typeof useQueryDraft>
