import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export const ExportMenu = ({ isPending, children }: { isPending: boolean; children: ReactNode }) => (
  <Menu withinPortal={false}>
    <Menu.Target>
      <Button loading={isPending} leftSection={<IconDownload size={16} aria-hidden />}>
        Export
      </Button>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)
