import { ActionIcon } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { ProductRow, productSorts } from '../../worker/kb/contract'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import type { Column, Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { When } from '../ui/when'
import { ProductToggle } from './product-toggle'

type Field = (typeof productSorts)[number]
export type ProductSort = Field | `-${Field}`

const columns: Column<ProductRow, ProductSort>[] = [
  { key: 'vendor', label: 'Vendor', sort: ['vendor', '-vendor'], cell: ({ vendor }) => vendor },
  {
    key: 'name',
    label: 'Product',
    sort: ['name', '-name'],
    inCard: 'lead',
    cell: ({ id, name }) => (
      <AppLink to={`/product/${id}`} fw={600} underline="hover">
        {name}
      </AppLink>
    ),
  },
  {
    key: 'vulns',
    label: '# Vulnerabilities',
    width: 140,
    cell: ({ id, name, vulns_count }) => (
      <AppLink
        to={`/vulns?product=${id}`}

        aria-label={`${formatCount(vulns_count)} vulnerabilities of ${name}`}
      >
        {formatCount(vulns_count)}
      </AppLink>
    ),
  },
  { key: 'monitored', label: 'Monitored', width: 110, cell: (product) => <ProductToggle product={product} /> },
  {
    key: 'updated',
    label: 'Last update',
    sort: ['-updated_at', 'updated_at'],
    width: 116,
    cell: ({ updated_at }) => <When at={updated_at} />,
  },
  {
    key: 'actions',
    label: 'Actions',
    width: 76,
    inCard: 'none',
    cell: ({ id, name }) => (
      <ActionIcon
        size={24}
        component={Link}
        to={`/product/${id}`}
        variant="default"
        aria-label={`View ${name}`}
        title="View"
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    ),
  },
]

type Props = {
  listing: Listing<ProductRow>
  expected: number
  empty: ReactNode
  sort: ProductSort
  onSort: (sort: ProductSort) => void
}

export function ProductTable(props: Props) {
  return <DataTable label="Products" columns={columns} href={({ id }) => `/product/${id}`} {...props} />
}
