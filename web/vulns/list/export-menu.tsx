import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { VulnQuery } from '../../../worker/vulns/contract'
import { exportVulnsMutation } from '../api'

export function ExportMenu({ filters }: { filters: VulnQuery }) {
  const { isPending, mutate } = useMutation(exportVulnsMutation)
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" loading={isPending} leftSection={<IconDownload size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>10,000 rows at most</Menu.Label>
        <Menu.Item onClick={() => mutate({ format: 'csv', query: filters })}>CSV</Menu.Item>
        <Menu.Item onClick={() => mutate({ format: 'json', query: filters })}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
