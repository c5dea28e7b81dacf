import { Table } from '@mantine/core'
import { Fragment, memo, useRef } from 'react'
import type { MouseEvent, ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Column, Listing } from './column'
import classes from './data-table.module.css'
import { FailedState } from './failed-state'
import { useOpenedRow } from './row-focus'
import { SortHeader } from './sort-header'
import { SortSelect } from './sort-select'

type Props<Row, Sort extends string> = {
  label: string
  /** Rows of two lines, as many as fit. */
  isDense?: boolean
  columns: Column<Row, Sort>[]
  listing: Listing<Row>
  /** How many empty rows to show while loading. */
  expected: number
  empty: ReactNode
  failed?: string
  /** Where a click on a row leads; keyboard users have a real link in the row. */
  href?: (row: Row) => string
  /** The heading above a row in a grouped list; null if the row before is of the same group. */
  heading?: (row: Row, before: Row | undefined) => ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
}

export function DataTable<Row extends { id: number | string }, Sort extends string = never>(props: Props<Row, Sort>) {
  const { label, isDense, columns, listing, expected, empty, failed, href, heading, sort, onSort } = props
  const { rows, isUpdating, error, retry } = listing
  const body = useRef<HTMLTableSectionElement>(null)
  const noteOpened = useOpenedRow(label, body, rows !== undefined)

  if (error)
    return (
      <div className={classes.vacant}>
        <FailedState title={failed} error={error} onRetry={retry} />
      </div>
    )
  if (rows?.length === 0) return <div className={classes.vacant}>{empty}</div>
  return (
    <div className={classes.frame}>
      {onSort && <SortSelect columns={columns} sort={sort} onSort={onSort} />}
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={label} aria-busy={!rows || isUpdating}>
        <Table
          role="table"
          aria-label={label}
          className={classes.table}
          data-dense={isDense || undefined}
          verticalSpacing={isDense ? 4 : undefined}
          data-updating={isUpdating || undefined}
        >
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => (
                <SortHeader key={column.key} column={column} sort={sort} onSort={onSort} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody
            role="rowgroup"
            ref={body}
            data-waiting={!rows || undefined}
            onClickCapture={(event) => noteOpened(findRowId(event))}
          >
            {rows?.map((row, at) => (
              <Fragment key={row.id}>
                <GroupRow heading={heading?.(row, rows[at - 1])} width={columns.length} />
                <MemoRow row={row} columns={columns} href={href?.(row)} />
              </Fragment>
            ))}
            {!rows && Array.from({ length: expected }, (_, index) => <WaitingRow key={index} columns={columns} />)}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  )
}

const findRowId = ({ target }: MouseEvent<HTMLElement>) =>
  (target instanceof Element && target.closest<HTMLElement>('tr')?.dataset.id) || ''

// On narrow screens rows become cards, and elements would lose their implicit roles.
const asRow = { role: 'row' }
const asCell = { role: 'cell' }
const asHeading = { role: 'rowheader' }

const GroupRow = ({ heading, width }: { heading: ReactNode; width: number }) =>
  heading && (
    <tr {...asRow} className={classes.group}>
      <th {...asHeading} colSpan={width}>
        {heading}
      </th>
    </tr>
  )

type RowProps<Row, Sort extends string> = { row: Row; columns: Column<Row, Sort>[]; href: string | undefined }

// Draws only changed rows again; the cast restores the generic type, which memo loses. Cells are plain elements, because Mantine's
// cells all subscribe to their table, which is slow with a hundred rows.
const MemoRow = memo(DataRow) as typeof DataRow

function DataRow<Row extends { id: number | string }, Sort extends string>({
  row,
  columns,
  href,
}: RowProps<Row, Sort>) {
  const navigate = useNavigate()
  const open = (event: MouseEvent<HTMLElement>) => {
    if (href && isPlainClick(event)) void navigate(href)
  }
  return (
    <tr
      {...asRow}
      data-id={row.id}
      data-href={href}
      className={`${classes.line} ${href ? classes.row : ''}`}
      onClick={open}
    >
      {columns.map(({ key, label, cell, inCard }) => (
        <td key={key} {...asCell} className={classes.cell} data-label={label} data-in-card={inCard}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}

function WaitingRow<Row, Sort extends string>({ columns }: { columns: Column<Row, Sort>[] }) {
  return (
    <tr
      {...asRow}
      className={`${classes.line} ${classes.waiting}`}
      data-tall={columns.some(({ inCard }) => inCard === 'wide') || undefined}
    >
      {columns.map(({ key, label, inCard }) => (
        <td key={key} {...asCell} className={classes.cell} data-label={label} data-in-card={inCard}>
          <span className={classes.bar} />
          {inCard === 'wide' && <span className={classes.bar} />}
        </td>
      ))}
    </tr>
  )
}

/** A click on a link, button or menu of the row is not plain, and neither is the end of selecting text. */
function isPlainClick({ target, metaKey, ctrlKey, shiftKey }: MouseEvent<HTMLElement>) {
  const isOnControl = target instanceof Element && target.closest('a, button, input, label') !== null
  return !isOnControl && !metaKey && !ctrlKey && !shiftKey && !getSelection()?.toString()
}
