import { useCombobox } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { parseQuery } from '../../../worker/domain/query/parse'
import { useCompletion } from './use-completion'
import { isWords } from './words-or-query'

const settled_ms = 600
const pause_ms = 500

/** Shows problems and searches for words only when typing pauses. */
export function useQueryDraft(q: string, onSearch: (text: string, isTyping: boolean) => void) {
  const [draft, setDraft] = useState(q)
  const [cursor, setCursor] = useState(q.length)
  const [settled] = useDebouncedValue(draft, settled_ms)
  const sent = useRef(q)
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number>(undefined)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { options, apply } = useCompletion(draft, cursor, combobox.dropdownOpened)
  const areWords = isWords(draft)
  const problem = areWords ? undefined : parseQuery(draft).problem
  const send = (text: string, isTyping: boolean) => {
    if (isTyping && text === sent.current) return
    sent.current = text
    onSearch(text, isTyping)
  }
  const sendSoon = useDebouncedCallback((text: string) => send(text, true), pause_ms)

  // Removing a pill, a saved view or the back button also change the query: then it replaces the draft.
  useEffect(() => {
    if (q === sent.current) return
    sent.current = q
    setDraft(q)
  }, [q])

  // Before the next key: the browser moves the caret to the end when a script sets the text.
  useLayoutEffect(() => {
    if (caret.current !== undefined) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })

  const type = (text: string, at: number) => {
    setDraft(text)
    setCursor(at)
    combobox.openDropdown()
    combobox.resetSelectedOption()
    if (isWords(text)) sendSoon(text.trim())
    else sendSoon.cancel()
  }
  const choose = (option: string) => {
    const next = apply(option)
    type(next.text, next.cursor)
    caret.current = next.cursor
  }
  const search = () => {
    combobox.closeDropdown()
    sendSoon.cancel()
    if (!problem) send(draft.trim(), false)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') return combobox.closeDropdown()
    if (event.key !== 'Enter' || (combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0)) return
    event.preventDefault()
    search()
  }
  const isSettled = settled === draft || draft === q
  const shownProblem = isSettled ? problem : undefined
  const view = { draft, input, combobox, options, problem: shownProblem, isWords: areWords }
  return { ...view, type, setCursor, choose, search, onKeyDown }
}
export type QueryDraft = ReturnType<typeof useQueryDraft>
