import { Button } from '@mantine/core'
import { useState } from 'react'
import type { BulletinBody } from '../../../worker/kb/bulletins/contract'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import type { Column } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import classes from './bulletin.module.css'

type Row = { id: string; vendor: string; product: string; versions: string[] }

const shownFirst = 10

const columns: Column<Row>[] = [
  { label: 'Vendor', width: 150, cell: ({ vendor }) => vendor || 'n/a' },
  {
    label: 'Product',
    width: 260,
    inCard: 'lead',
    cell: ({ product }) => <AppLink to={`/products?${new URLSearchParams({ search: product })}`}>{product}</AppLink>,
  },
  {
    label: 'Versions',
    inCard: 'wide',
    cell: ({ versions }) => (
      <ul className={classes.names}>
        {versions.map((version) => (
          <li key={version}>{version}</li>
        ))}
      </ul>
    ),
  },
]

export function BulletinProducts({ body: { products, products_count } }: { body: BulletinBody }) {
  const [showsAll, setShowsAll] = useState(false)
  const rows = groupByProduct(products)
  const hidden = showsAll ? 0 : Math.max(0, rows.length - shownFirst)
  const missing = products_count - products.length

  if (rows.length === 0) return <Card title="Products">This bulletin names no product.</Card>
  return (
    <Card title={`Products (${formatCount(rows.length)})`}>
      <DataTable label="Products" columns={columns} listing={{ rows: showsAll ? rows : rows.slice(0, shownFirst) }} />
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show {formatCount(hidden)} more
        </Button>
      )}
      {missing > 0 && <p className={classes.note}>{plural(missing, 'more version')} in the document.</p>}
    </Card>
  )
}

function groupByProduct(products: BulletinBody['products']) {
  const rows = new Map<string, Row>()
  for (const { vendor, product, version } of products) {
    const id = `${vendor}\n${product}`
    const row = rows.get(id) ?? { id, vendor, product, versions: [] }
    if (version) row.versions.push(version)
    rows.set(id, row)
  }
  return [...rows.values()]
}
