import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { exportKinds } from '../../worker/monitoring/contract'
import type { ExportKind } from '../../worker/monitoring/contract'
import { ExportMenu } from '../ui/export-menu'
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
    <ExportMenu isPending={isPending}>
      {exportKinds.toReversed().map((kind) => (
        <Menu.Item key={kind} onClick={() => mutate({ kind, format: 'csv' })}>
          {labels[kind]} as CSV
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item onClick={() => mutate({ kind: 'all', format: 'json' })}>Everything as JSON</Menu.Item>
    </ExportMenu>
  )
}
