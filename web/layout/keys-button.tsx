import { ActionIcon } from '@mantine/core'
import { IconCommand } from '@tabler/icons-react'
import { keyDialog } from '../ui/keys'

export const KeysButton = () => (
  <ActionIcon
    variant="subtle"
    color="gray"
    size={36}
    visibleFrom="xs"
    aria-label="Go, find or do anything"
    title="Go, find or do anything (Ctrl+K)"
    onClick={() => (keyDialog.value = 'palette')}
  >
    <IconCommand size={18} />
  </ActionIcon>
)
