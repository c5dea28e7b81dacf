import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { MonitoredChip } from '../../ui/monitored-chip'
import { groupStatements, Statements } from './statements'

type Affected = VulnDetail['affected_packages'][number]
type Row = Affected & { id: number; statements: Affected[] }

const columns: Column<Row>[] = [
  { key: 'type', label: 'Type', width: 84, cell: ({ type }) => type },
  {
    key: 'name',
    label: 'Package',
    width: 190,
    inCard: 'lead',
    cell: ({ package_id, name }) => (
      <AppLink to={`/packages/${package_id}`} fw={600} underline="hover">
        {name}
      </AppLink>
    ),
  },
  {
    key: 'versions',
    label: 'Versions, by source',
    inCard: 'wide',
    cell: ({ statements }) => <Statements statements={statements} />,
  },
  { key: 'monitored', label: 'Monitored', width: 84, cell: ({ monitored }) => <MonitoredChip monitored={monitored} /> },
]

export function PackagesCard({ vuln: { affected_packages, package_count } }: { vuln: VulnDetail }) {
  if (affected_packages.length === 0) return null
  const rows: Row[] = groupStatements(affected_packages, ({ package_id }) => package_id)
  return (
    <Card title={`Affected packages (${formatCount(package_count)})`}>
      <DataTable
        label="Affected packages"
        columns={columns}
        listing={{ rows, isUpdating: false, error: null, retry: () => undefined }}
        expected={0}
        empty={null}
      />
    </Card>
  )
}
