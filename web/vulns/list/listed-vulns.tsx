import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'
import { useKeys } from '../../ui/keys'
import { vulnsQuery } from '../api'
import { useSelection } from './selection'
import { SelectionBar } from './selection-bar'
import { useInboxPlace } from './use-inbox-place'
import { VulnPages } from './vuln-pages'

const Inbox = lazy(() => import('./inbox').then((file) => ({ default: file.Inbox })))

type Props = {
  filters: VulnQuery
  onChange: (patch: VulnQueryInput) => void
  controls: ReactNode
}

/** Separate from the filters, so that a changed row does not draw them again. */
export function ListedVulns({ filters, onChange, controls }: Props) {
  const vulns = useQuery(vulnsQuery(filters))
  const { isOn, toggle } = useSelection()
  const { isInbox } = useInboxPlace()
  useKeys([{ key: 'x', text: 'select the row', act: (row) => row && toggle(Number(row.dataset.id)) }])
  return (
    <>
      {controls}
      {isOn && <SelectionBar rows={vulns.data?.results ?? []} />}
      {isInbox ? (
        <Suspense>
          <Inbox vulns={vulns} filters={filters} onChange={onChange} />
        </Suspense>
      ) : (
        <VulnPages vulns={vulns} filters={filters} onChange={onChange} />
      )}
    </>
  )
}
