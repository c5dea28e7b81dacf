import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'
import { vulnsQuery } from '../api'
import { SelectionBar } from './selection-bar'
import { VulnPages } from './vuln-pages'

type Props = { filters: VulnQuery; onChange: (patch: VulnQueryInput) => void; pills: ReactNode }

/** Apart from the filters, so that a change of a row does not draw them again. */
export function ListedVulns({ filters, onChange, pills }: Props) {
  const vulns = useQuery(vulnsQuery(filters))
  return (
    <>
      <Group gap="xs" justify="space-between">
        {pills}
        <SelectionBar rows={vulns.data?.results ?? []} />
      </Group>
      <VulnPages vulns={vulns} filters={filters} onChange={onChange} />
    </>
  )
}
