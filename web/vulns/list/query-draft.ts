import { useCombobox } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useQuery } from '@tanstack/react-query'
import { parseQuery } from '../../../worker/domain/query/parse'
import { completeQuery } from '../../../worker/domain/query/complete'
import { findField, getDefinition } from '../../../worker/domain/query/fields'
import { tokenize } from '../../../worker/domain/query/tokens'
import { productsQuery, vendorsQuery } from '../../catalog/api'

/** A field, a sign or a quote makes a text a query; words and names such as a CPE, and ids with a colon, are searched for. */
export function isWords(text: string) {
  if (/^(cpe:|pkg:|RH[BES]A-\d)/i.test(text.trim())) return true
  const tokens = tokenize(text)
  return !('message' in tokens) && tokens.every((token) => token.kind === 'word' && !isSign(token.text))
}

function isSign(word: string) {
  const field = findField(word)
  return /^(and|or|not)$/i.test(word) || (field !== undefined && getDefinition(field).kind === 'flag')
}

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

const limit = 30
const minCharacters = 2

function useCompletion(text: string, cursor: number, isOpen: boolean) {
  const { from, to, typed, field, options } = completeQuery(text, cursor)
  const wants = (kind: string) => isOpen && field === kind && typed.length >= minCharacters
  const find = { search: typed, limit: 8 }
  const vendors = useQuery({ ...vendorsQuery(find), enabled: wants('vendor'), meta: {} })
  const products = useQuery({ ...productsQuery(find), enabled: wants('product'), meta: {} })

  const names = [
    ...(wants('vendor') ? (vendors.data?.results ?? []).map(({ name }) => ({ text: name, hint: 'Vendor' })) : []),
    ...(wants('product')
      ? (products.data?.results ?? []).map(({ vendor, name }) => ({ text: `${vendor}:${name}`, hint: 'Product' }))
      : []),
  ]
  const apply = (option: string) => {
    const word = names.some((name) => name.text === option) ? quotedIfNeeded(option) : option
    const gap = /[:=<>]$/.test(word) ? '' : ' '
    const head = text.slice(0, from) + word + gap
    return { text: head + text.slice(to).replace(/^ /, ''), cursor: head.length }
  }
  return { options: isOpen ? [...options, ...names].slice(0, limit) : [], apply }
}

const quotedIfNeeded = (name: string) =>
  /^[\w@*+.][\w@*+./:-]*$/.test(name) ? name : `"${name.replace(/["\\]/g, String.raw`\$&`)}"`
