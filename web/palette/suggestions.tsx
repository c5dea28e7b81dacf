import { useEffect } from 'react'
import { ChoiceList, useChosen } from '../ui/choice-list'
import { openPalette } from '../ui/keys'
import type { SuggestProps } from '../ui/suggest'
import { useOffers } from './offers'
import classes from './suggestions.module.css'

const shownAtOnce = 12

/** Suggestions of the field in the top bar while somebody types; offers of more than a line go on in the palette. */
export function Suggestions({ text, listId, onKeys, onActive, onType, onClose }: SuggestProps) {
  const done = () => {
    onType('')
    onClose()
  }
  const goOn = (typed: string) => {
    done()
    openPalette(typed)
  }
  const { choices, nothing } = useOffers(text, { setText: goOn, onClose: done, onDecide: () => goOn(text) })
  const shown = choices.slice(0, shownAtOnce)
  const { chosen, elementId, press } = useChosen(shown, listId, false)
  const activeId = chosen && elementId(chosen)
  useEffect(() => onKeys(press))
  useEffect(() => onActive(activeId), [activeId, onActive])
  return (
    <div className={classes.panel}>
      <ChoiceList id={listId} label="Suggestions" choices={shown} chosen={chosen} elementId={elementId} />
      <p className={classes.state} role="status">
        {shown.length === 0 ? nothing : ''}
      </p>
    </div>
  )
}
