import { Table, UnstyledButton, NativeSelect } from '@mantine/core'
import { Fragment, memo, useRef, useEffect, type MouseEvent, type ReactNode, type RefObject } from 'react'
import { useNavigate, useLocation, useNavigationType } from 'react-router-dom'
import type { Column, Listing, Orders } from './column'
import classes from './data-table.module.css'
import { EmptyState } from './empty-state'
import { FailedState } from './failed-state'
import { focusRow } from './keys'
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react'
import { findKept, keep } from '../lib/kept'

type Props<Row, Sort extends string> = {
  label: string
  /** Rows of two lines, as many as fit. */
  isDense?: boolean
  columns: Column<Row, Sort>[]
  listing: Listing<Row>
  /** How many empty rows to show while loading. */
  expected?: number
  empty?: ReactNode
  failed?: string
  /** For rows without an id. */
  rowId?: (row: Row, at: number) => number | string
  /** Target of a click on a row; keyboard users have a real link in the row. */
  href?: (row: Row) => string
  /** The heading above a row in a grouped list; null if the row before is of the same group. */
  heading?: (row: Row, before: Row | undefined) => ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
}

export function DataTable<Row extends object, Sort extends string = never>(props: Props<Row, Sort>) {
  const { label, isDense, columns, listing, expected = 0, empty, failed, href, heading, sort, onSort } = props
  const { rowId = findId } = props
  const { rows, isPastTheEnd, isUpdating, error = null, refetch = () => undefined } = listing
  const body = useRef<HTMLTableSectionElement>(null)
  const noteOpened = useOpenedRow(label, body, rows !== undefined)

  if (error)
    return (
      <div className={classes.vacant}>
        <FailedState title={failed} query={{ error, refetch }} />
      </div>
    )
  if (rows?.length === 0)
    return (
      <div className={classes.vacant}>
        {isPastTheEnd ? <EmptyState title="This page is past the end of the list" /> : empty}
      </div>
    )
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
                <SortHeader key={column.label} column={column} sort={sort} onSort={onSort} />
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
              <Fragment key={rowId(row, at)}>
                <GroupRow heading={heading?.(row, rows[at - 1])} width={columns.length} />
                <MemoRow id={rowId(row, at)} row={row} columns={columns} href={href?.(row)} />
              </Fragment>
            ))}
            {!rows && Array.from({ length: expected }, (_, index) => <WaitingRow key={index} columns={columns} />)}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  )
}

const findId = (row: object, at: number) => ('id' in row ? String(row.id) : at)

const findRowId = ({ target }: MouseEvent<HTMLElement>) =>
  (target instanceof Element && target.closest<HTMLElement>('tr')?.dataset.id) || ''

// On narrow screens rows become cards, and elements would lose their implicit roles.
const asRow = { role: 'row' }
const asHeading = { role: 'rowheader' }

type CellColumn = Pick<Column<never>, 'label' | 'inCard' | 'isNumber'>
const cellProps = ({ label, inCard, isNumber }: CellColumn) => ({
  role: 'cell',
  className: classes.cell,
  'data-label': label,
  'data-in-card': inCard,
  'data-number': isNumber,
})

const GroupRow = ({ heading, width }: { heading: ReactNode; width: number }) =>
  heading && (
    <tr {...asRow} className={classes.group}>
      <th {...asHeading} colSpan={width}>
        {heading}
      </th>
    </tr>
  )

type RowProps<Row, Sort extends string> = {
  id: number | string
  row: Row
  columns: Column<Row, Sort>[]
  href: string | undefined
}

// Draws only changed rows again; the cast restores the generic type, which memo loses. Cells are plain elements, because Mantine's
// cells all subscribe to their table, which is slow with a hundred rows.
const MemoRow = memo(DataRow) as typeof DataRow

function DataRow<Row, Sort extends string>({ id, row, columns, href }: RowProps<Row, Sort>) {
  const navigate = useNavigate()
  const open = (event: MouseEvent<HTMLElement>) => {
    if (href && isPlainClick(event)) void navigate(href)
  }
  return (
    <tr
      {...asRow}
      data-id={id}
      data-href={href}
      className={`${classes.line} ${href ? classes.row : ''}`}
      onClick={open}
    >
      {columns.map((column) => (
        <td key={column.label} {...cellProps(column)}>
          {column.cell(row)}
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
      {columns.map((column) => (
        <td key={column.label} {...cellProps(column)}>
          <span className={classes.bar} />
          {column.inCard === 'wide' && <span className={classes.bar} />}
        </td>
      ))}
    </tr>
  )
}

/** A click on a link, button or menu of the row is not plain, one in its dialog neither, nor the end of selecting text. */
function isPlainClick({ target, currentTarget, metaKey, ctrlKey, shiftKey }: MouseEvent<HTMLElement>) {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false
  const isOnControl = target.closest('a, button, input, label') !== null
  return !isOnControl && !metaKey && !ctrlKey && !shiftKey && !getSelection()?.toString()
}

type Opened = { list: string; id: string }
const storageKey = (place: string) => `row of ${place}`

/** When somebody comes back to the list, focuses the row that they had opened. */
function useOpenedRow(list: string, body: RefObject<HTMLElement | null>, isReady: boolean) {
  const { key } = useLocation()
  const isBack = useNavigationType() === 'POP'
  useEffect(() => {
    if (!isReady || !isBack || !hasFreeFocus()) return
    const opened = readOpened(key)
    if (opened?.list !== list) return
    keep(storageKey(key), null, 'tab')
    focusRow(body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(opened.id)}"]`) ?? undefined)
  }, [body, isBack, isReady, key, list])
  return (id: number | string) => keep(storageKey(key), JSON.stringify({ list, id: String(id) }), 'tab')
}

/** False if somebody has already moved the focus elsewhere. */
function hasFreeFocus() {
  const focused = document.activeElement
  return focused === null || focused === document.body || focused.tagName === 'H1'
}

function readOpened(place: string): Opened | undefined {
  const written = findKept(storageKey(place), 'tab')
  // Only this file writes it.
  return written ? (JSON.parse(written) as Opened) : undefined
}

type SortHeaderProps<Row, Sort extends string> = {
  column: Column<Row, Sort>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

function SortHeader<Row, Sort extends string>({ column, sort, onSort }: SortHeaderProps<Row, Sort>) {
  const { label, width, sort: choices, also, isNumber } = column
  if (!choices || !onSort)
    return (
      <Table.Th role="columnheader" w={width} data-number={isNumber}>
        {label}
      </Table.Th>
    )

  const orders = [{ label, sort: choices }, ...(also ? [also] : [])]
  const active = orders.find(({ sort: pair }) => sort !== undefined && pair.includes(sort))
  return (
    <Table.Th
      role="columnheader"
      aria-label={also ? label : undefined}
      w={width}
      data-number={isNumber}
      aria-sort={active && describeOrder(active.sort, sort)}
    >
      {orders.map((order) => (
        <SortButton key={order.label} label={order.label} choices={order.sort} sort={sort} onSort={onSort} />
      ))}
    </Table.Th>
  )
}

const describeOrder = <Sort extends string>({ length }: Orders<Sort>, sort: Sort | undefined) =>
  length === 1 ? 'other' : sort?.startsWith('-') ? 'descending' : 'ascending'

type ButtonProps<Sort extends string> = {
  label: string
  choices: Orders<Sort>
  sort: Sort | undefined
  onSort: (sort: Sort) => void
}

function SortButton<Sort extends string>({ label, choices: [first, second = first], sort, onSort }: ButtonProps<Sort>) {
  const isActive = sort === first || sort === second
  const Icon = isActive ? (sort.startsWith('-') || first === second ? IconArrowDown : IconArrowUp) : IconArrowsSort
  return (
    <UnstyledButton
      className={classes.sort}
      fz="inherit"
      data-active={isActive || undefined}
      onClick={() => onSort(sort === first ? second : first)}
    >
      {label}
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  )
}

type SortSelectProps<Row, Sort extends string> = {
  columns: Column<Row, Sort>[]
  sort: Sort | undefined
  onSort: (sort: Sort) => void
}

/** On a narrow screen there is no header row to sort by. */
function SortSelect<Row, Sort extends string>({ columns, sort, onSort }: SortSelectProps<Row, Sort>) {
  const orders = columns.flatMap(({ label, sort: pair, also }) => [
    ...(pair ? [{ label, sort: pair }] : []),
    ...(also ? [also] : []),
  ])
  const choices = orders.flatMap(({ label, sort: pair }) =>
    pair.map((value) => ({
      value,
      label: pair.length === 1 ? label : `${label}, ${value.startsWith('-') ? 'descending' : 'ascending'}`,
    })),
  )
  const choose = (chosen: string) => {
    const choice = choices.find(({ value }) => value === chosen)
    if (choice) onSort(choice.value)
  }
  return (
    <div className={classes.sortSelect}>
      <NativeSelect
        size="xs"
        aria-label="Sort by"
        data={
          choices.some(({ value }) => value === sort) ? choices : [{ value: sort ?? '', label: 'Sort by…' }, ...choices]
        }
        value={sort ?? ''}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </div>
  )
}
