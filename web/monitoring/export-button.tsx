import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { exportKinds } from '../../worker/monitoring/contract'
import type { ExportKind } from '../../worker/monitoring/contract'
import { exportMutation } from './api'

const labels: Record<ExportKind, string> = {
  all: 'Everything',
  vendors: 'Vendors',
  products: 'Products',
  packages: 'Packages',
  vulns: 'Vulns',
}

export function ExportButton() {
  const { isPending, mutate } = useMutation(exportMutation)
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" loading={isPending} leftSection={<IconDownload size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exportKinds.toReversed().map((kind) => (
          <Menu.Item key={kind} onClick={() => mutate({ kind, format: 'csv' })}>
            {labels[kind]} as CSV
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => mutate({ kind: 'all', format: 'json' })}>Everything as JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
