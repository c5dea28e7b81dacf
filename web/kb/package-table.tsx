import type { ReactNode } from 'react'
import type { PackageRow, packageSorts } from '../../worker/packages/contract'
import { AppLink } from '../ui/app-link'
import type { Column, Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { When } from '../ui/when'
import { PackageToggle } from './package-toggle'
import { PackageType } from './package-type'
import classes from './package.module.css'
import { ViewButton } from './view-button'

type Field = (typeof packageSorts)[number]
export type PackageSort = Field | `-${Field}`

const columns: Column<PackageRow, PackageSort>[] = [
  {
    key: 'type',
    label: 'Type',
    width: 140,
    sort: ['type', '-type'],
    cell: ({ type }) => <PackageType type={type} />,
  },
  {
    key: 'name',
    label: 'Package',
    sort: ['name', '-name'],
    inCard: 'lead',
    cell: ({ id, name }) => (
      <AppLink to={`/packages/${id}`} fw={600} underline="hover" className={classes.name}>
        {name}
      </AppLink>
    ),
  },
  {
    key: 'monitored',
    label: 'Monitored',
    width: 110,
    sort: ['-monitored', 'monitored'],
    cell: (one) => <PackageToggle package={one} />,
  },
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
    cell: ({ id, name }) => <ViewButton to={`/packages/${id}`} name={name} />,
  },
]

type Props = {
  listing: Listing<PackageRow>
  expected: number
  empty: ReactNode
  sort: PackageSort | undefined
  onSort: (sort: PackageSort) => void
}

export const PackageTable = (props: Props) => (
  <DataTable
    label="Packages"
    columns={columns}
    href={({ id }) => `/packages/${id}`}
    failed="Unable to get packages"
    {...props}
  />
)
