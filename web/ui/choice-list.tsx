import { UnstyledButton } from '@mantine/core'
import { useState, type KeyboardEvent, type MouseEvent } from 'react'
import classes from './choice-box.module.css'

export type Offer = { id: string; label: string; hint?: string | undefined; group: string; run: () => void }

const arrows = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
])

/** The choice that is active by arrow keys; at first the first one, or none where Enter has a meaning of its own. */
export function useChosen(choices: Offer[], listId: string, isFirstActive: boolean) {
  const [chosenId, setChosenId] = useState<string>()
  const found = choices.findIndex(({ id }) => id === chosenId)
  const at = isFirstActive ? Math.max(found, 0) : found
  const elementId = (offer: Offer) => `${listId}${choices.indexOf(offer)}`
  const press = (event: KeyboardEvent) => {
    const steps = arrows.get(event.key)
    if (event.nativeEvent.isComposing || !choices.length || (!steps && event.key !== 'Enter')) return
    if (!steps) {
      if (!choices[at]) return
      event.preventDefault()
      return choices[at].run()
    }
    const next = choices.at(at < 0 && steps < 0 ? -1 : (at + steps) % choices.length)
    if (!next) return
    event.preventDefault()
    setChosenId(next.id)
    document.getElementById(elementId(next))?.scrollIntoView({ block: 'nearest' })
  }
  return { chosen: choices[at], elementId, press, start: () => setChosenId(undefined) }
}

type Props = {
  id: string
  label: string
  choices: Offer[]
  chosen: Offer | undefined
  elementId: (offer: Offer) => string
}

/** The list of a combobox; the field keeps the focus. */
export const ChoiceList = ({ id, label, choices, chosen, elementId }: Props) => (
  <div id={id} role="listbox" aria-label={label} className={classes.list}>
    {[...Map.groupBy(choices, ({ group }) => group)].map(([group, members]) => (
      <div key={group} role="group" aria-label={group}>
        <div className={classes.group} aria-hidden>
          {group}
        </div>
        {members.map((offer) => (
          <Option key={offer.id} offer={offer} id={elementId(offer)} isChosen={offer === chosen} />
        ))}
      </div>
    ))}
  </div>
)

function Option({ offer: { label, hint, run }, id, isChosen }: { offer: Offer; id: string; isChosen: boolean }) {
  const keepFocus = (event: MouseEvent) => event.preventDefault()
  return (
    <UnstyledButton
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={classes.option}
      onMouseDown={keepFocus}
      onClick={run}
    >
      <span>{label}</span>
      {hint && <span className={classes.hint}>{hint}</span>}
    </UnstyledButton>
  )
}
