import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconChevronDown } from '@tabler/icons-react'
import { syncTriggers } from '../../../worker/feeds/contract'
import { callTriggerMutation } from './api'

export function SyncMenu() {
  const { isPending, mutate } = useMutation(callTriggerMutation)
  return (
    <Menu position="bottom-end" width={280} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" loading={isPending} rightSection={<IconChevronDown size={14} aria-hidden />}>
          More
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {syncTriggers.map(({ contract }) => (
          <Menu.Item key={contract.path} onClick={() => mutate(contract)}>
            {contract.summary}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
