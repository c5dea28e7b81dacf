import { Button } from '@mantine/core'
import { useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { MonitoredChip } from '../../ui/monitored-chip'
import { groupStatements, Statements } from './statements'
import classes from '../vuln-detail.module.css'

type Affected = VulnDetail['affected'][number]
type Row = Affected & { id: number; statements: Affected[] }

const shownFirst = 10

const columns: Column<Row>[] = [
  {
    key: 'product',
    label: 'Product',
    width: 150,
    inCard: 'lead',
    cell: ({ product_id, vendor, product }) => (
      <>
        <AppLink to={`/product/${product_id}`} fw={600} underline="hover">
          {product}
        </AppLink>
        <span className={classes.vendor}>{vendor}</span>
      </>
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

export function AffectedCard({ vuln: { affected, product_count } }: { vuln: VulnDetail }) {
  const [showsAll, setShowsAll] = useState(false)
  const rows: Row[] = groupStatements(affected, ({ product_id }) => product_id)
  const hidden = showsAll ? 0 : rows.length - shownFirst
  const missing = product_count - rows.length

  if (rows.length === 0) return <Card title="Affected products">No source names an affected product yet.</Card>
  return (
    <Card title={`Affected products (${formatCount(product_count)})`}>
      <DataTable
        label="Affected products"
        columns={columns}
        listing={{
          rows: showsAll ? rows : rows.slice(0, shownFirst),
          isUpdating: false,
          error: null,
          retry: () => undefined,
        }}
        expected={0}
        empty={null}
      />
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show {formatCount(hidden)} more
        </Button>
      )}
      {missing > 0 && (
        <p className={classes.note}>
          {plural(missing, 'more product')} not shown here; those that you monitor are among the first.
        </p>
      )}
    </Card>
  )
}
