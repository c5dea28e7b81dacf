import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { VulnQuery } from '../../../worker/vulns/contract'
import { ExportMenu } from '../../ui/export-menu'
import { exportVulnsMutation } from '../api'

export function VulnExport({ filters }: { filters: VulnQuery }) {
  const { isPending, mutate } = useMutation(exportVulnsMutation)
  return (
    <ExportMenu isPending={isPending}>
      <Menu.Label>10,000 rows at most</Menu.Label>
      <Menu.Item onClick={() => mutate({ format: 'csv', query: filters })}>CSV</Menu.Item>
      <Menu.Item onClick={() => mutate({ format: 'json', query: filters })}>JSON</Menu.Item>
    </ExportMenu>
  )
}
