const rendered_ms = 50

/**
 * For a change in work: the button that shows its progress is disabled, and loses the focus to nothing. The answer gives it back
 * when the change is over, to a field that was refused, to the button or to where it stood, unless somebody went on to elsewhere.
 */
export function holdFocus() {
  const { body } = document
  const place = findFocused()
  const [held] = place
  return () =>
    setTimeout(() => {
      const focused = body.ownerDocument.activeElement
      if (!held || (focused !== body && focused !== held)) return
      if (!focusMistake(held.closest('form')) && focused === body) focusPlace(place)
    }, rendered_ms)
}

/** A form that is not sent, as it has mistakes, leads to the first of them: it may be far above the button. */
export const leadToMistakes = () =>
  document.addEventListener('submit', ({ target }) => {
    if (target instanceof HTMLFormElement) setTimeout(() => focusMistake(target), rendered_ms)
  })

/** Where the focus was last on the page itself, which dialogs and notices cover. */
let onPage: HTMLElement[] = []
/** As `onPage`, also in a dialog. */
let besideNotices: HTMLElement[] = []

/** A control that goes when it is pressed, as one that a form takes the place of, leaves the focus where it stood; Escape as well. */
export function keepPlaces() {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    if (!target.closest(floating)) onPage = listAround(target)
    if (!target.closest('.mantine-Notifications-root')) besideNotices = listAround(target)
  })
  const holdPlace = () => {
    const place = findFocused()
    const isLost = () => document.activeElement === document.body && !place[0]?.isConnected
    setTimeout(() => isLost() && focusPlace(place), rendered_ms)
  }
  document.addEventListener('click', holdPlace, true)
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && holdPlace(), true)
}

/** A notice that goes while it has the focus gives it back to where somebody worked. */
export function leaveNotice(id = '') {
  const isHeld = document.getElementById(id)?.contains(document.activeElement)
  if (isHeld) focusPlace([...besideNotices, ...onPage])
}

function focusMistake(form: HTMLFormElement | null) {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]')
  field?.focus()
  return field !== undefined && field !== null
}

/**
 * The element with the focus, and after it those around it; where a row goes, the one that takes its place comes first. A dialog that
 * another one took the place of, and a notice, go as a whole: the place on the page comes last.
 */
export function findPlace() {
  const opener = findOpener()
  const place = listAround(opener)
  return place.length > 0 && !opener?.closest(floating) ? place : [...place, ...onPage]
}

/** As `findPlace`, if anything has the focus. */
const findFocused = () => (document.activeElement === document.body ? [] : findPlace())

const floating = '[data-portal]'

function listAround(element: Element | null) {
  const place: HTMLElement[] = []
  for (let part = element; part instanceof HTMLElement && part !== document.body; part = part.parentElement)
    place.push(part, ...(part.matches('tr, li') ? listNeighbours(part) : []))
  return place
}

const listNeighbours = ({ nextElementSibling, previousElementSibling }: Element) =>
  [nextElementSibling, previousElementSibling].filter((one) => one instanceof HTMLElement)

/** An item leaves with its menu: the button of the menu stays. */
function findOpener() {
  const { activeElement } = document
  const button = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return (button && document.getElementById(button)) || activeElement
}

/** To what had the focus or, where that is gone, to the nearest of what stood around it and is left: the Tab key goes on from there. */
export function focusPlace([opener, ...around]: HTMLElement[]) {
  // Dialogs and notices that have nothing to do with each other share a portal.
  const isLeft = (part: HTMLElement) => part.isConnected && !part.matches(floating) && part.textContent.trim()
  const target = opener?.isConnected ? opener : around.find(isLeft)
  if (target && target !== opener && !target.hasAttribute('tabindex')) {
    target.tabIndex = -1
    target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
  }
  target?.focus({ preventScroll: true })
}
