import type { ReactNode } from 'react'
import type { ExploitRow, ThreatRow } from '../../worker/exploits/contract'
import {
  assessmentColumns,
  dateColumn,
  linkColumn,
  relevancyColumn,
  threatRowColumns,
  vulnColumn,
} from '../exploits/exploit-columns'
import { bulletinColumns } from '../kb/bulletins/bulletin-columns'
import { listingFrom } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'
import { Pager } from '../ui/pager'
import { VulnTable } from '../vulns/list/vuln-table'
import { searchSizes, type Search, type SearchFilters, type SearchFiltersInput } from './queries'

type Props = { search: Search; filters: SearchFilters; onChange: (patch: SearchFiltersInput) => void }

const exploitColumns = [relevancyColumn, vulnColumn, linkColumn, ...assessmentColumns, dateColumn]
const vulnHref = ({ vuln_id }: ExploitRow | ThreatRow) => `/vulns/${vuln_id}`
const nouns = {
  vulns: 'vulnerabilities',
  exploits: 'exploits',
  threats: 'threat activities',
  advisories: 'advisories',
  tools: 'tools',
}

export function SearchTable({ search, filters, onChange }: Props) {
  const { tab } = filters
  const found = tab === 'vulns' ? search.vulnPage : search[tab].data
  if (tab !== 'vulns' && !search.hasWords)
    return (
      <EmptyState title={`Search for words to find ${nouns[tab]}`} text="The filters apply to vulnerabilities only." />
    )
  return (
    <>
      <TabTable
        search={search}
        filters={filters}
        empty={
          <EmptyState title={`No ${nouns[tab]} found`} text="Search for other words, or look into the other tabs." />
        }
      />
      <Pager of={nouns[tab]} sizes={searchSizes} paging={filters} found={found} onChange={onChange} />
    </>
  )
}

type TableProps = { search: Search; filters: SearchFilters; empty: ReactNode }

function TabTable({ search, filters: { tab, limit }, empty }: TableProps) {
  const shared = { expected: limit, empty }
  switch (tab) {
    case 'vulns':
      return <VulnTable label="Vulnerabilities" listing={listingFrom(search.vulns)} {...shared} />
    case 'exploits':
    case 'tools':
      return (
        <DataTable
          label={tab === 'tools' ? 'Tools' : 'Exploits'}
          columns={exploitColumns}
          listing={listingFrom(search[tab])}
          failed="Unable to get exploits."
          href={vulnHref}
          {...shared}
        />
      )
    case 'threats':
      return (
        <DataTable
          label="Threat activities"
          columns={threatRowColumns}
          listing={listingFrom(search.threats)}
          failed="Unable to get threat news."
          href={vulnHref}
          {...shared}
        />
      )
    case 'advisories':
      return (
        <DataTable
          label="Bulletins"
          columns={bulletinColumns}
          listing={listingFrom(search.advisories)}
          failed="unable to get bulletins"
          href={({ id }) => `/kb/bulletins/${id}`}
          {...shared}
        />
      )
  }
}
