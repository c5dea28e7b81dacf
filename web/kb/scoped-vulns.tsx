import { useQuery } from '@tanstack/react-query'
import { VulnQuery } from '../../worker/vulns/contract'
import type { VulnRow } from '../../worker/vulns/contract'
import { useFilters } from '../lib/filters'
import { listingOf } from '../ui/column'
import type { Column } from '../ui/column'
import { CvssBadge } from '../ui/cvss-badge'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'
import { Pager } from '../ui/pager'
import { ScoreBadge } from '../ui/score-badge'
import { When } from '../ui/when'
import { vulnsQuery } from '../vulns/api'
import { MetadataIcons } from '../vulns/metadata-icons'
import { VulnIdentity } from '../vulns/vuln-identity'
import { VulnSummary } from '../vulns/vuln-summary'
import classes from './kb.module.css'
import { ViewButton } from './view-button'

type Field = 'score' | 'updated_at'
type Sort = Field | `-${Field}`

const columns: Column<VulnRow, Sort>[] = [
  {
    key: 'score',
    label: 'Score',
    width: 150,
    sort: ['-score', 'score'],
    cell: ({ score, cvss, cvss3 }) => (
      <div className={classes.scores}>
        <ScoreBadge score={score} />
        <dl className={classes.cvss}>
          <dt>CVSSv2</dt>
          <dd>
            <CvssBadge version={2} score={cvss} />
          </dd>
          <dt>CVSSv3</dt>
          <dd>
            <CvssBadge version={3} score={cvss3} />
          </dd>
        </dl>
      </div>
    ),
  },
  {
    key: 'summary',
    label: 'Summary',
    inCard: 'wide',
    cell: (vuln) => (
      <div className={classes.told}>
        <div className={classes.identity}>
          <VulnIdentity vuln={vuln} />
          <ViewButton to={`/vulns/${vuln.id}`} name={vuln.cveid ?? `PH-${vuln.id}`} />
        </div>
        <VulnSummary vuln={vuln} />
      </div>
    ),
  },
  { key: 'metadata', label: 'Metadata', width: 118, cell: (vuln) => <MetadataIcons vuln={vuln} /> },
  {
    key: 'updated',
    label: 'Last update',
    sort: ['-updated_at', 'updated_at'],
    width: 132,
    cell: ({ updated_at }) => <When at={updated_at} withTime />,
  },
]

type Scope = { vendor: number } | { product: number; product_version?: string | undefined }

const isSort = (sort: string): sort is Sort => columns.some((column) => column.sort?.some((one) => one === sort))

/** The vulnerabilities of a vendor or of a product, as their pages show them (S2 §2). */
export function ScopedVulns({ scope }: { scope: Scope }) {
  const [filters, setFilters] = useFilters(VulnQuery, { limit: 10 })
  const vulns = useQuery({ ...vulnsQuery({ ...filters, ...scope }), meta: { failure: 'Unable to get vulns' } })
  const { sorted_by } = filters
  return (
    <>
      <DataTable
        label="Vulnerabilities"
        columns={columns}
        href={({ id }) => `/vulns/${id}`}
        listing={listingOf(vulns)}
        expected={filters.limit}
        failed="Unable to get vulns"
        sort={isSort(sorted_by) ? sorted_by : undefined}
        onSort={(sort) => setFilters({ sorted_by: sort })}
        empty={<NoVulns scope={scope} />}
      />
      <Pager of="vulnerabilities" paging={filters} found={vulns.data} onChange={setFilters} />
    </>
  )
}

function NoVulns({ scope }: { scope: Scope }) {
  const version = 'product_version' in scope ? scope.product_version : undefined
  if (version === undefined) return <EmptyState title="No vulnerability is known here" />
  return (
    <EmptyState
      title={`No known vulnerability affects ${version}`}
      text="None of the ranges that the sources name holds this version."
    />
  )
}
