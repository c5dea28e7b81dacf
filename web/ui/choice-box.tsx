import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core'
import { useEffect } from 'react'
import classes from './choice-box.module.css'

export type Offer = { id: string; label: string; hint?: string | undefined; group: string; run: () => void }

type Props = {
  title: string
  placeholder: string
  text: string
  onType: (text: string) => void
  choices: Offer[]
  /** What stands there where nothing is to be chosen. */
  nothing: string
  onClose: () => void
}

export function ChoiceBox(props: Props) {
  return (
    <Modal opened onClose={props.onClose} title={props.title} yOffset="8vh" size="lg">
      <Choices {...props} />
    </Modal>
  )
}

function Choices({ title, placeholder, text, onType, choices, nothing, onClose }: Props) {
  const combobox = useCombobox({ opened: true })
  const first = choices[0]?.id
  // The first is chosen until somebody moves on.
  useEffect(() => {
    if (first) combobox.selectFirstOption()
    // oxlint-disable-next-line react/exhaustive-deps
  }, [first, text])
  const choose = (id: string) => choices.find((one) => one.id === id)?.run()
  const groups = Map.groupBy(choices, ({ group }) => group)
  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
      <Combobox.EventsTarget withAriaAttributes withExpandedAttribute>
        <TextInput
          aria-label={title}
          placeholder={placeholder}
          value={text}
          maxLength={200}
          data-autofocus
          autoComplete="off"
          onChange={({ currentTarget }) => onType(currentTarget.value)}
          // The list, which is never closed, would keep it from the dialog.
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label={title} className={classes.list}>
        {[...groups].map(([group, members]) => (
          <Combobox.Group key={group} label={group}>
            {members.map(({ id, label, hint }) => (
              <Combobox.Option key={id} value={id} className={classes.option}>
                <span>{label}</span>
                {hint && <span className={classes.hint}>{hint}</span>}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {choices.length === 0 && <Combobox.Empty>{nothing}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  )
}
