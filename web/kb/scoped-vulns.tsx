import { useQuery } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { VulnQuery, type VulnRow } from '../../worker/vulns/contract'
import { useFilters } from '../lib/filters'
import { plural, nameVuln } from '../lib/format'
import type { Column } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { PagedTable } from '../ui/paged-table'
import { vulnsQuery } from '../vulns/api'
import { MetadataIcons, VulnIdentity, VulnSummary } from '../vulns/vuln-cells'
import classes from './kb.module.css'
import { CvssBadge } from '../ui/cvss-badge'
import { ScoreBadge } from '../ui/score-badge'
import { ViewButton } from '../ui/view-button'
import { Timestamp } from '../ui/timestamp'

export const scoreColumn: Column<VulnRow> = {
  label: 'Score',
  width: 150,
  cell: (vuln) => (
    <div className={classes.scores}>
      <ScoreBadge of={vuln} />
      <dl className={classes.cvss}>
        <dt>CVSSv2</dt>
        <dd>
          <CvssBadge version={2} score={vuln.cvss} />
        </dd>
        <dt>CVSSv3</dt>
        <dd>
          <CvssBadge version={3} score={vuln.cvss3} />
        </dd>
      </dl>
    </div>
  ),
}

export const summaryColumn = (summary: (vuln: VulnRow) => ReactNode): Column<VulnRow> => ({
  label: 'Summary',
  inCard: 'wide',
  cell: (vuln) => (
    <div className={classes.stack}>
      <div className={classes.identity}>
        <VulnIdentity vuln={vuln} />
        <ViewButton to={`/vulns/${vuln.id}`} name={nameVuln(vuln.id, vuln.cveid)} />
      </div>
      {summary(vuln)}
    </div>
  ),
})

export const metadataColumn: Column<VulnRow> = {
  label: 'Metadata',
  width: 118,
  cell: (vuln) => <MetadataIcons vuln={vuln} />,
}

export const changedColumn: Column<VulnRow> = {
  label: 'Last update',
  width: 132,
  cell: ({ updated_at }) => <Timestamp at={updated_at} withTime />,
}

type Field = 'score' | 'updated_at'
type VulnSort = Field | `-${Field}`

const columns: Column<VulnRow, VulnSort>[] = [
  { ...scoreColumn, sort: ['-score', 'score'] },
  summaryColumn((vuln) => <VulnSummary vuln={vuln} />),
  metadataColumn,
  { ...changedColumn, sort: ['-updated_at', 'updated_at'] },
]

type Scope = { vendor: number } | { product: number; product_version?: string | undefined }

const isSort = (sort: string): sort is VulnSort => columns.some((column) => column.sort?.some((by) => by === sort))

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
        found={vulns}
        paging={{ ...filters, sorted_by: isSort(sorted_by) ? sorted_by : undefined }}
        onChange={setFilters}
        columns={columns}
        version={version}
        isPartial={isPartial}
      />
    </>
  )
}

type Props<Row extends VulnRow, Sort extends string> = Pick<
  ComponentProps<typeof PagedTable<Row, Sort>>,
  'found' | 'paging' | 'onChange' | 'columns'
> & {
  /** The list holds only what affects this version. */
  version: string | undefined
  /** Some vulnerabilities were not judged: an empty list says nothing of them. */
  isPartial: boolean
}

export function ScopedVulnTable<Row extends VulnRow, Sort extends string = never>(props: Props<Row, Sort>) {
  const { version, isPartial, ...table } = props
  return (
    <PagedTable
      of="vulnerabilities"
      label={version === undefined ? 'Vulnerabilities' : 'Vulnerabilities that affect the version'}
      href={({ id }) => `/vulns/${id}`}
      failed="Unable to get vulns"
      empty={<NoVulns version={version} isPartial={isPartial} />}
      {...table}
    />
  )
}

type NoVulnsProps = { version: string | undefined; isPartial: boolean }

function NoVulns({ version, isPartial }: NoVulnsProps) {
  if (version === undefined) return <EmptyState title="No vulnerability is known here" />
  if (isPartial)
    return (
      <EmptyState
        title={`None of the checked vulnerabilities is known to affect ${version}`}
        text="Others were not checked, or it is not known. Continue above, or test the version on their own pages."
      />
    )
  return (
    <EmptyState
      title={`No known vulnerability affects ${version}`}
      text="This version is in none of the ranges that the sources give."
    />
  )
}
