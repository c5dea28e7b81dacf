import { signal } from '@preact/signals-react'
import { useEffect, useRef, type RefObject } from 'react'
import { findKept, keep } from '../lib/kept'

type KeyBinding = {
  key: string
  /** The key's name in the table of keys, if it is no letter. */
  shown?: string
  text: string
  /** Acts on the row with the focus, if there is one; answering false leaves the key to the browser. */
  act: (row: HTMLElement | undefined) => unknown
}

export const keyDialog = signal<'keys' | 'palette' | null>(null)

/** Letters typed after the palette's keys and before it appears. */
let typedAhead = ''

export function takeTypedAhead() {
  const taken = typedAhead
  typedAhead = ''
  return taken
}

/** Opens the palette as though this was typed in it. */
export function openPalette(text: string) {
  typedAhead = text
  keyDialog.value = 'palette'
}

const storageKey = 'EarshotKeys'

/** People who dictate, or hit keys by chance, can switch single letters off (WCAG 2.1.4). */
export const areLettersOn = () => findKept(storageKey) !== 'off'
export const setLetters = (isOn: boolean) => keep(storageKey, isOn ? 'on' : 'off')

const layers: RefObject<KeyBinding[]>[] = []

/** A screen's own keys go before those that all lists share. */
export function useKeys(keys: KeyBinding[]) {
  const current = useRef(keys)
  useEffect(() => {
    current.current = keys
  })
  useEffect(() => {
    layers.push(current)
    return () => void layers.splice(layers.indexOf(current), 1)
  }, [])
}

export function listKeys(): KeyBinding[] {
  const all = [...layers.flatMap(({ current }) => current), ...rowKeys]
  return [...new Map(all.toReversed().map((one) => [one.key, one])).values()].toReversed()
}

const findKey = (key: string) => listKeys().find((one) => one.key === key)

/** Leaves out rows of tables beside the list. */
const listRows = () =>
  [...document.querySelectorAll<HTMLElement>('tbody tr[data-id]')].filter(
    (row) => !row.closest('aside, [role="dialog"]'),
  )

/** The row with the focus; from elsewhere that which a pane beside the list shows. */
const findCurrent = (rows: HTMLElement[]) =>
  rows.find((row) => row.contains(document.activeElement)) ?? rows.find((row) => row.ariaCurrent === 'true')

export function focusRow(row: HTMLElement | undefined) {
  if (!row) return
  // Scripts focus the row; the Tab key goes to its controls instead.
  row.tabIndex = -1
  row.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

function moveRow(steps: 1 | -1) {
  const rows = listRows()
  const current = findCurrent(rows)
  const at = current ? rows.indexOf(current) + steps : 0
  focusRow(rows[Math.min(Math.max(at, 0), rows.length - 1)])
}

/** Without a focused row the arrows scroll as usual. */
const moveFrom = (row: HTMLElement | undefined, steps: 1 | -1) => (isFocused(row) ? moveRow(steps) : false)
const isFocused = (row: HTMLElement | undefined) => row !== undefined && row === document.activeElement

function openRow(row: HTMLElement | undefined) {
  if (!isFocused(row)) return false
  const { href } = row?.dataset ?? {}
  const link = row?.querySelector<HTMLElement>(href ? `a[href="${CSS.escape(href)}"]` : 'a[href]') ?? row
  return link?.click()
}

const click = (selector: string) => (row: HTMLElement | undefined) => row?.querySelector<HTMLElement>(selector)?.click()

function focusSearch() {
  const field =
    document.querySelector<HTMLInputElement>('main input[type="search"]') ??
    document.querySelector<HTMLInputElement>('input[type="search"]')
  field?.focus()
  field?.select()
}

const rowKeys: KeyBinding[] = [
  { key: 'j', shown: 'j or ↓', text: 'next row', act: () => moveRow(1) },
  { key: 'k', shown: 'k or ↑', text: 'previous row', act: () => moveRow(-1) },
  { key: 'Enter', text: 'open the row', act: openRow },
  { key: 'm', text: 'monitor the row, or stop', act: click('button[aria-pressed]') },
  { key: 'x', text: 'select the row', act: click('input[type="checkbox"]') },
  { key: '/', text: 'search', act: focusSearch },
  { key: '?', text: 'show these keys', act: () => (keyDialog.value = 'keys') },
]

const arrows = new Map<string, 1 | -1>([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
])

export function findAction(event: KeyboardEvent): (() => unknown) | undefined {
  if (event.defaultPrevented || event.altKey) return undefined
  const { key } = event
  if (keyDialog.value && !document.querySelector('[role="dialog"]')) return () => typeAhead(event)
  if (event.ctrlKey || event.metaKey)
    // One dialog after the other.
    return key.toLowerCase() === 'k' && !event.shiftKey && !isInside(event.target, '[role="dialog"]')
      ? () => (keyDialog.value = 'palette')
      : undefined
  const row = findCurrent(listRows())
  const steps = arrows.get(key)
  if (steps) return () => moveFrom(row, steps)
  if (isTyping(event.target) || (key.length === 1 && !areLettersOn())) return undefined
  const found = findKey(key)
  return found && (() => found.act(row))
}

/** While the palette's code loads, keeps typed letters and lets none act on the screen behind. */
function typeAhead({ key, ctrlKey, metaKey }: KeyboardEvent) {
  if (key === 'Escape') {
    keyDialog.value = null
    typedAhead = ''
  } else if (key === 'Backspace') typedAhead = typedAhead.slice(0, -1)
  else if (ctrlKey || metaKey) return key.toLowerCase() === 'k'
  else if (key.length === 1 && keyDialog.value === 'palette') typedAhead += key
  return true
}

/** Keys in a field, a dialog or a menu keep their own meaning. */
const isTyping = (target: EventTarget | null) =>
  isInside(
    target,
    'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]',
  )

const isInside = (target: EventTarget | null, selector: string) =>
  target instanceof Element && target.closest(selector) !== null
