import type { VulnRow } from '../../worker/vulns/contract'
import type { Column, Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { EmptyState } from '../ui/empty-state'

type Props<Row, Sort extends string> = {
  columns: Column<Row, Sort>[]
  listing: Listing<Row>
  expected: number
  /** The list holds only what affects this version. */
  version: string | undefined
  /** Some vulnerabilities were not judged: an empty list says nothing of them. */
  isPartial?: boolean
  sort?: Sort | undefined
  onSort?: (sort: Sort) => void
}

export function ScopedVulnTable<Row extends VulnRow, Sort extends string = never>(props: Props<Row, Sort>) {
  const { version, isPartial = false, ...table } = props
  return (
    <DataTable
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
