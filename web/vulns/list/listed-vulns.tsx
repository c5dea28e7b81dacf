import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'
import { useKeys } from '../../ui/keys'
import { vulnsQuery } from '../api'
import { useSelection } from './selection'
import { SelectionBar } from './selection-bar'
import { VulnPages } from './vuln-pages'

type Props = {
  filters: VulnQuery
  onChange: (patch: VulnQueryInput) => void
  controls: ReactNode
}

/** Apart from the filters, so that a change of a row does not draw them again. */
export function ListedVulns({ filters, onChange, controls }: Props) {
  const vulns = useQuery(vulnsQuery(filters))
  const { isOn, toggle } = useSelection()
  useKeys([{ key: 'x', text: 'select the row', act: (row) => row && toggle(Number(row.dataset.id)) }])
  return (
    <>
      {controls}
      {isOn && <SelectionBar rows={vulns.data?.results ?? []} />}
      <VulnPages vulns={vulns} filters={filters} onChange={onChange} />
    </>
  )
}
