const rendered_ms = 50

/**
 * For a change in work: the button that shows its progress is disabled, and loses the focus to nothing. What this answers gives it back
 * when the change is over, to a field that was refused or to the button, unless somebody went on to elsewhere.
 */
export function holdFocus() {
  const { body } = document
  const found = findOpener()
  const held = found instanceof HTMLElement ? found : undefined
  return () =>
    setTimeout(() => {
      const focused = body.ownerDocument.activeElement
      if (!held || (focused !== body && focused !== held)) return
      if (!focusMistake(held.closest('form')) && focused === body) held.focus({ preventScroll: true })
    }, rendered_ms)
}

/** A form that is not sent, as it has mistakes, leads to the first of them: it may be far above the button. */
export const leadToMistakes = () =>
  document.addEventListener('submit', ({ target }) => {
    if (target instanceof HTMLFormElement) setTimeout(() => focusMistake(target), rendered_ms)
  })

function focusMistake(form: HTMLFormElement | null) {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]')
  field?.focus()
  return field !== undefined && field !== null
}

/** An item leaves with its menu: the button of the menu stays. */
export function findOpener() {
  const { activeElement } = document
  const button = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return (button && document.getElementById(button)) || activeElement
}
