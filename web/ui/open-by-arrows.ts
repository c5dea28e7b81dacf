import type { KeyboardEvent } from 'react'

/** For a choice that acts at once: arrows open the list, instead of choosing each option that they pass. */
export function openByArrows(event: KeyboardEvent<HTMLSelectElement>) {
  if (event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
  event.preventDefault()
  event.currentTarget.showPicker()
}
