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
  sort?: Sort | undefined
  onSort?: (sort: Sort) => void
}

export function ScopedVulnTable<Row extends VulnRow, Sort extends string = never>(props: Props<Row, Sort>) {
  const { version, ...table } = props
  return (
    <DataTable
      label={version === undefined ? 'Vulnerabilities' : 'Vulnerabilities that affect the version'}
      href={({ id }) => `/vulns/${id}`}
      failed="Unable to get vulns"
      empty={<NoVulns version={version} />}
      {...table}
    />
  )
}

function NoVulns({ version }: { version: string | undefined }) {
  if (version === undefined) return <EmptyState title="No vulnerability is known here" />
  return (
    <EmptyState
      title={`No known vulnerability affects ${version}`}
      text="None of the ranges that the sources name holds this version."
    />
  )
}
