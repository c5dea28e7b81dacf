import { useEffect } from 'react'
import type { RefObject } from 'react'

export const listKeys: [key: string, text: string][] = [
  ['j', 'next row'],
  ['k', 'previous row'],
  ['Enter', 'open the row'],
  ['m', 'monitor the row, or stop'],
  ['x', 'select the row'],
  ['/', 'search'],
  ['?', 'show these keys'],
]

type Keys = { list: RefObject<HTMLElement | null>; onHelp: () => void; onSelect: (id: number) => void }

/** Keys move the focus through the rows and act on the row that has it. */
export function useListKeys({ list, onHelp, onSelect }: Keys) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!list.current || isElsewhere(event)) return
      const act = findAction(event.key, list.current, { onHelp, onSelect })
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [list, onHelp, onSelect])
}

function findAction(key: string, list: HTMLElement, { onHelp, onSelect }: Omit<Keys, 'list'>) {
  const rows = [...list.querySelectorAll<HTMLElement>('tbody tr[tabindex]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const current = rows[at]
  const click = (selector: string) => current?.querySelector<HTMLElement>(selector)?.click()
  const actions: Record<string, (() => void) | undefined> = {
    j: () => focus(rows[Math.min(at + 1, rows.length - 1)]),
    k: () => focus(rows[Math.max(at - 1, 0)]),
    Enter: current === document.activeElement ? () => current?.click() : undefined,
    m: () => click('button[aria-pressed]'),
    x: () => current && onSelect(Number(current.dataset.id)),
    '/': () => list.querySelector<HTMLElement>('input[type="search"]')?.focus(),
    '?': onHelp,
  }
  return Object.hasOwn(actions, key) ? actions[key] : undefined
}

function focus(row: HTMLElement | undefined) {
  row?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

/** Keys in a field, a dialog or a menu keep their own meaning, and keys with a modifier belong to the browser. */
function isElsewhere({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent) {
  const isTyping =
    target instanceof Element &&
    target.closest(
      'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"]',
    ) !== null
  return isTyping || ctrlKey || metaKey || altKey || defaultPrevented
}
