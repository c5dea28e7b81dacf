import { useQuery } from '@tanstack/react-query'
import type { ReactNode, RefObject } from 'react'
import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'
import { vulnsQuery } from '../api'
import { useListKeys } from './list-keys'
import { useSelection } from './selection'
import { SelectionBar } from './selection-bar'
import { VulnPages } from './vuln-pages'

type Props = {
  list: RefObject<HTMLElement | null>
  onHelp: () => void
  filters: VulnQuery
  onChange: (patch: VulnQueryInput) => void
  controls: ReactNode
}

/** Apart from the filters, so that a change of a row does not draw them again. */
export function ListedVulns({ list, onHelp, filters, onChange, controls }: Props) {
  const vulns = useQuery(vulnsQuery(filters))
  const { isOn, toggle } = useSelection()
  useListKeys({ list, onHelp, onSelect: toggle })
  return (
    <>
      {controls}
      {isOn && <SelectionBar rows={vulns.data?.results ?? []} />}
      <VulnPages vulns={vulns} filters={filters} onChange={onChange} />
    </>
  )
}
