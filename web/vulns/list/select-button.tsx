import { Button } from '@mantine/core'
import { IconSquareCheck } from '@tabler/icons-react'
import { useSelection } from './selection'

export function SelectButton() {
  const { isOn, setOn } = useSelection()
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-pressed={isOn}
      leftSection={<IconSquareCheck size={15} aria-hidden />}
      onClick={() => setOn(!isOn)}
    >
      Select
    </Button>
  )
}
