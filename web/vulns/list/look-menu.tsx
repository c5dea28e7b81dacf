import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSignals } from '@preact/signals-react/runtime'
import { IconColumns3 } from '@tabler/icons-react'
import { choosableColumns, hiddenColumns, isSlim, resetLook, setSlim, toggleColumn } from './list-look'

/** Columns of the list, and the height of its rows; this browser remembers both. */
export function LookMenu() {
  useSignals()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      trapFocus
      returnFocus
      withinPortal={false}
      position="bottom-end"
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconColumns3 size={15} aria-hidden />}
          onClick={toggle}
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap={8} p={8}>
          {choosableColumns.map(([key, label]) => (
            <Checkbox
              key={key}
              size="xs"
              label={label}
              checked={!hiddenColumns.value.has(label)}
              onChange={() => toggleColumn(key)}
            />
          ))}
          <Checkbox
            size="xs"
            label="Rows of one line"
            checked={isSlim.value}
            onChange={({ currentTarget }) => setSlim(currentTarget.checked)}
          />
          <Button variant="subtle" size="compact-xs" onClick={resetLook}>
            Usual columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
