import { Modal, TextInput, UnstyledButton } from '@mantine/core'
import { useId, useLayoutEffect, useState } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import classes from './choice-box.module.css'
import { useFocusBack } from './focus-back'
import { takeTypedAhead } from './keys'

export type Offer = { id: string; label: string; hint?: string | undefined; group: string; run: () => void }

type Props = {
  title: string
  placeholder: string
  text: string
  onType: (text: string) => void
  choices: Offer[]
  /** The text when there are no choices. */
  nothing: string
  onClose: () => void
}

export function ChoiceBox(props: Props) {
  useFocusBack()
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      yOffset="8vh"
      size="lg"
      // Without a transition no letter gets lost when somebody keeps typing.
      transitionProps={{ duration: 0 }}
    >
      <Choices {...props} />
    </Modal>
  )
}

const arrows = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
])

function Choices({ title, placeholder, text, onType, choices, nothing }: Props) {
  const listId = useId()
  const { chosen, elementId, press, start } = useChosen(choices, listId)
  // Together with the focus, so that no letter gets lost in between.
  useLayoutEffect(() => {
    const typed = takeTypedAhead()
    if (typed) onType(text + typed)
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return (
    <>
      <TextInput
        role="combobox"
        aria-label={title}
        aria-expanded
        aria-haspopup="listbox"
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={chosen && elementId(chosen)}
        placeholder={placeholder}
        value={text}
        maxLength={200}
        data-autofocus
        ref={focus}
        autoComplete="off"
        onChange={({ currentTarget }) => {
          start()
          onType(currentTarget.value)
        }}
        onKeyDown={press}
      />
      <div id={listId} role="listbox" aria-label={title} className={classes.list}>
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
      {choices.length === 0 && (
        <p className={classes.nothing} role="status">
          {nothing}
        </p>
      )}
    </>
  )
}

const focus = (field: HTMLInputElement | null) => field?.focus()

/** The first choice is active until an arrow key moves on. */
function useChosen(choices: Offer[], listId: string) {
  const [chosenId, setChosenId] = useState<string>()
  const found = choices.findIndex(({ id }) => id === chosenId)
  const at = Math.max(found, 0)
  const elementId = (offer: Offer) => `${listId}${choices.indexOf(offer)}`
  const press = (event: KeyboardEvent) => {
    const steps = arrows.get(event.key)
    const next = choices.at((at + (steps ?? 0)) % choices.length)
    if (event.nativeEvent.isComposing || !next || (!steps && event.key !== 'Enter')) return
    event.preventDefault()
    if (!steps) return next.run()
    setChosenId(next.id)
    document.getElementById(elementId(next))?.scrollIntoView({ block: 'nearest' })
  }
  return { chosen: choices[at], elementId, press, start: () => setChosenId(undefined) }
}

function Option({ offer: { label, hint, run }, id, isChosen }: { offer: Offer; id: string; isChosen: boolean }) {
  // The field keeps the focus.
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
