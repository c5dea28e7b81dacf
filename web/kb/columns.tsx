import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { ProductLabel } from '../ui/product-name'
import { Timestamp } from '../ui/timestamp'
import { ViewButton } from '../ui/view-button'
import type { MonitoredKind } from '../watchlist/api'
import { WatchToggle } from '../watchlist/watch-toggle'

type Named = { id: number; name: string }
type Sorted<Field extends string> = Field | `-${Field}`

export const nameColumn = (label: string, path: string, className?: string): Column<Named, Sorted<'name'>> => ({
  label,
  sort: ['name', '-name'],
  inCard: 'lead',
  cell: ({ id, name }) => (
    <AppLink to={`${path}/${id}`} fw={600} underline="hover" className={className}>
      {path === '/packages' ? name : <ProductLabel name={name} />}
    </AppLink>
  ),
})

/** A number that leads to what it counts. */
export const countColumn = <Field extends string>(
  noun: 'Products' | 'Vulnerabilities',
  field: Field,
  to: (id: number) => string,
): Column<Named & Record<Field, number>, Sorted<Field>> => ({
  label: `# ${noun}`,
  width: noun === 'Products' ? 110 : 140,
  isNumber: true,
  sort: [`-${field}`, field],
  cell: ({ id, name, [field]: count }) => (
    <AppLink to={to(id)} aria-label={`${formatCount(count)} ${noun.toLowerCase()} of ${name}`}>
      {formatCount(count)}
    </AppLink>
  ),
})

type Monitored = { id: number; monitored: boolean }

export function monitoredColumn<Row extends Monitored>(
  kind: MonitoredKind,
  label: (row: Row) => string,
): Column<Row, Sorted<'monitored'>> {
  return {
    label: 'Monitored',
    width: 110,
    sort: ['-monitored', 'monitored'],
    cell: (row) => <WatchToggle kind={kind} item={row} name={label(row)} />,
  }
}

export const updatedColumn: Column<{ updated_at: string }, Sorted<'updated_at'>> = {
  label: 'Last update',
  sort: ['-updated_at', 'updated_at'],
  width: 116,
  cell: ({ updated_at }) => <Timestamp at={updated_at} />,
}

export const viewColumn = (path: string): Column<Named> => ({
  label: 'Actions',
  width: 76,
  inCard: 'none',
  cell: ({ id, name }) => <ViewButton to={`${path}/${id}`} name={name} />,
})
