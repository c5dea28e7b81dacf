import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { MonitoredChip } from '../../ui/monitored-chip'
import { Fixed } from './fixed'
import { SourceName } from './source-name'
import { Versions } from '../versions'

type Row = VulnDetail['affected_packages'][number] & { id: string }

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
  { key: 'versions', label: 'Versions', inCard: 'wide', cell: (row) => <Versions {...row} /> },
  { key: 'fixed', label: 'Fixed in', width: 110, cell: ({ fixed }) => <Fixed versions={fixed} /> },
  { key: 'source', label: 'Source', width: 110, cell: ({ source }) => <SourceName source={source} /> },
  { key: 'monitored', label: 'Monitored', width: 84, cell: ({ monitored }) => <MonitoredChip monitored={monitored} /> },
]

export function PackagesCard({ vuln: { affected_packages, package_count } }: { vuln: VulnDetail }) {
  if (affected_packages.length === 0) return null
  const rows = affected_packages.map((row) => ({ ...row, id: `${row.package_id} ${row.source}` }))
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
