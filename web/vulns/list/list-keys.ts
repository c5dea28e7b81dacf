import { useEffect } from 'react'
import type { RefObject } from 'react'

/** The keys of the list, as its help shows them. */
export const listKeys: [key: string, text: string][] = [
  ['j', 'next row'],
  ['k', 'previous row'],
  ['Enter', 'open the row'],
  ['m', 'monitor the row, or stop'],
  ['x', 'select the row'],
  ['/', 'search'],
  ['?', 'show these keys'],
]

type Keys = { list: RefObject<HTMLElement | null>; onHelp: () => void }

/** Moves through the rows of a list, and acts on the one that has the focus, without a mouse. */
export function useListKeys({ list, onHelp }: Keys) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!list.current || isElsewhere(event)) return
      const act = actionOf(event.key, list.current, onHelp)
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [list, onHelp])
}

function actionOf(key: string, list: HTMLElement, onHelp: () => void) {
  const rows = [...list.querySelectorAll<HTMLElement>('tbody tr[tabindex]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const current = rows[at]
  const click = (selector: string) => current?.querySelector<HTMLElement>(selector)?.click()
  const actions: Record<string, (() => void) | undefined> = {
    j: () => focus(rows[Math.min(at + 1, rows.length - 1)]),
    k: () => focus(rows[Math.max(at - 1, 0)]),
    Enter: current === document.activeElement ? () => current?.click() : undefined,
    m: () => click('button[aria-pressed]'),
    x: () => click('input[data-select]'),
    '/': () => list.querySelector<HTMLElement>('input[type="search"]')?.focus(),
    '?': onHelp,
  }
  return Object.hasOwn(actions, key) ? actions[key] : undefined
}

function focus(row: HTMLElement | undefined) {
  row?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

/** In a field, a dialog or a menu keys mean what they say; with a modifier they are the browser's. */
function isElsewhere({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent) {
  const isTyping =
    target instanceof Element &&
    target.closest(
      'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"]',
    ) !== null
  return isTyping || ctrlKey || metaKey || altKey || defaultPrevented
}
