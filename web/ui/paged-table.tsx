import { listingFrom, type Column, type PageQuery } from './column'
import { DataTable } from './data-table'
import { Pager } from './pager'

type Paging<Sort> = { page: number; limit: number; sorted_by?: Sort }
type Table<Row extends object, Sort extends string> = Parameters<typeof DataTable<Row, Sort>>[0]

type Props<Row extends object, Sort extends string> = Omit<
  Table<Row, Sort>,
  'label' | 'listing' | 'sort' | 'onSort'
> & {
  /** Names the pages, and the table unless that has a label. */
  of: string
  label?: string
  found: PageQuery<Row, { count: number; count_is_exact: boolean }>
  paging: Paging<Sort | undefined>
  onChange: (paging: Partial<Paging<Sort>>) => void
}

/** A list whose page and order stand in the address. */
export function PagedTable<Row extends object, Sort extends string = never>(props: Props<Row, Sort>) {
  const { of, found, paging, onChange, ...table } = props
  const isSorted = table.columns.some(({ sort }: Column<Row, Sort>) => sort)
  return (
    <>
      <DataTable
        label={`${of.charAt(0).toUpperCase()}${of.slice(1)}`}
        listing={listingFrom(found)}
        expected={paging.limit}
        {...(isSorted && { sort: paging.sorted_by, onSort: (sorted_by: Sort) => onChange({ sorted_by }) })}
        {...table}
      />
      <Pager of={of} paging={paging} found={found.data} onChange={onChange} />
    </>
  )
}
