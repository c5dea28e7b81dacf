import { ActionIcon, Menu } from '@mantine/core'
import { IconDotsVertical } from '@tabler/icons-react'
import type { ReactNode } from 'react'

type Props = { label: string; isPending?: boolean; children: ReactNode }

export const RowMenu = ({ label, isPending = false, children }: Props) => (
  <Menu position="bottom-end" width={230} withInitialFocusPlaceholder={false}>
    <Menu.Target>
      <ActionIcon
        variant="default"
        size={24}
        aria-label={label}
        title="Actions"
        loading={isPending}
        style={{ verticalAlign: 'middle' }}
      >
        <IconDotsVertical size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)
