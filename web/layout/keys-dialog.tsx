import { Modal, Switch } from '@mantine/core'
import { useState } from 'react'
import { KeyTable } from '../ui/key-table'
import { areLettersOn, setLetters } from '../ui/keys'
import { useFocusBack } from '../ui/focus-back'

export function KeysDialog({ onClose }: { onClose: () => void }) {
  useFocusBack()
  const [isOn, setOn] = useState(areLettersOn)
  const choose = (chosen: boolean) => {
    setLetters(chosen)
    setOn(chosen)
  }
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="sm">
      <KeyTable />
      <Switch
        mt="md"
        label="Keys of one letter or sign"
        description="Off, they do nothing in this browser; arrows, Enter and Ctrl+K stay."
        checked={isOn}
        onChange={({ currentTarget }) => choose(currentTarget.checked)}
      />
    </Modal>
  )
}
