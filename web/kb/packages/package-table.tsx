import type { ReactNode } from 'react'
import type { PackageRow, packageSorts } from '../../../worker/packages/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { monitoredColumn, nameColumn, updatedColumn, viewColumn } from '../columns'
import { PackageType } from './package-type'
import classes from './package.module.css'

type Field = (typeof packageSorts)[number]
type PackageSort = Field | `-${Field}`

const columns: Column<PackageRow, PackageSort>[] = [
  {
    label: 'Type',
    width: 140,
    sort: ['type', '-type'],
    cell: ({ type }) => <PackageType type={type} />,
  },
  nameColumn('Package', '/packages', classes.name),
  {
    label: '# Vulnerabilities',
    width: 140,
    isNumber: true,
    sort: ['-vulns_cnt', 'vulns_cnt'],
    cell: ({ id, name, vulns_cnt }) => (
      <AppLink to={`/vulns?package=${id}`} aria-label={`${formatCount(vulns_cnt)} vulnerabilities of ${name}`}>
        {formatCount(vulns_cnt)}
      </AppLink>
    ),
  },
  monitoredColumn('package', ({ type, name }) => `${type} ${name}`),
  updatedColumn,
  viewColumn('/packages'),
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
