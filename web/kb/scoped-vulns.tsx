import { useQuery } from '@tanstack/react-query'
import { VulnQuery } from '../../worker/vulns/contract'
import type { VulnRow } from '../../worker/vulns/contract'
import { useFilters } from '../lib/filters'
import { plural } from '../lib/format'
import { listingFrom } from '../ui/column'
import type { Column } from '../ui/column'
import { Pager } from '../ui/pager'
import { vulnsQuery } from '../vulns/api'
import { VulnSummary } from '../vulns/vuln-summary'
import classes from './kb.module.css'
import { ScopedVulnTable } from './scoped-vuln-table'
import { changedColumn, metadataColumn, scoreColumn, summaryColumn } from './vuln-columns'

type Field = 'score' | 'updated_at'
type Sort = Field | `-${Field}`

const columns: Column<VulnRow, Sort>[] = [
  { ...scoreColumn, sort: ['-score', 'score'] },
  summaryColumn((vuln) => <VulnSummary vuln={vuln} />),
  metadataColumn,
  { ...changedColumn, sort: ['-updated_at', 'updated_at'] },
]

type Scope = { vendor: number } | { product: number; product_version?: string | undefined }

const isSort = (sort: string): sort is Sort => columns.some((column) => column.sort?.some((own) => own === sort))

export function ScopedVulns({ scope }: { scope: Scope }) {
  const [filters, setFilters] = useFilters(VulnQuery, { limit: 10 })
  const vulns = useQuery({ ...vulnsQuery({ ...filters, ...scope }), meta: { failure: 'Unable to get vulns' } })
  const { sorted_by } = filters
  const version = 'product_version' in scope ? scope.product_version : undefined
  const unjudged = vulns.data?.unjudged ?? 0
  const isPartial = unjudged > 0 || filters.version_window !== undefined || (vulns.data?.looked_at ?? null) !== null
  return (
    <>
      {version !== undefined && unjudged > 0 && (
        <p className={classes.note} role="note">
          For {plural(unjudged, 'vulnerability', 'vulnerabilities')}, it is not known whether {version} is affected.
        </p>
      )}
      <ScopedVulnTable
        columns={columns}
        listing={listingFrom(vulns)}
        expected={filters.limit}
        version={version}
        isPartial={isPartial}
        sort={isSort(sorted_by) ? sorted_by : undefined}
        onSort={(sort) => setFilters({ sorted_by: sort })}
      />
      <Pager of="vulnerabilities" paging={filters} found={vulns.data} onChange={setFilters} />
    </>
  )
}
