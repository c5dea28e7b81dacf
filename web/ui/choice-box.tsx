import { Modal, TextInput } from '@mantine/core'
import { useId, useLayoutEffect } from 'react'
import classes from './choice-box.module.css'
import { ChoiceList, useChosen, type Offer } from './choice-list'
import { useFocusBack } from './focus-back'
import { takeTypedAhead } from './keys'

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
      centered={false}
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

function Choices({ title, placeholder, text, onType, choices, nothing }: Props) {
  const listId = useId()
  const { chosen, elementId, press, start } = useChosen(choices, listId, true)
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
      <ChoiceList id={listId} label={title} choices={choices} chosen={chosen} elementId={elementId} />
      {choices.length === 0 && (
        <p className={classes.nothing} role="status">
          {nothing}
        </p>
      )}
    </>
  )
}

const focus = (field: HTMLInputElement | null) => field?.focus()
