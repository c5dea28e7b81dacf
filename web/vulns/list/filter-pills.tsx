import { Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { productLabel, readableName } from '../../../worker/domain/names/product'
import { params } from '../../../worker/domain/query/params'
import type { VulnFilters, VulnQueryInput } from '../../../worker/vulns/contract'
import { productQuery, productsQuery } from '../../catalog/api'
import { AddFilter } from './add-filter'
import classes from './filter-pills.module.css'
import { comparisonLabel, termLabel, listShownTerms, withoutTerm } from './query-terms'
import { findQuickFilter } from './quick-filter'

type Props = {
  filters: VulnFilters
  /** Parameters of the address that cannot be read. */
  unread?: [name: string, value: string][]
  onChange: (patch: VulnQueryInput) => void
}

/** Filters that no other control shows: terms of the query and parameters of a link. */
export function FilterPills({ filters, unread = [], onChange: change }: Props) {
  const group = useRef<HTMLDivElement>(null)
  // Removing a pill loses the focus: focusing the group lets the next Tab continue among the other pills.
  const onChange = (patch: VulnQueryInput) => {
    group.current?.focus()
    change(patch)
  }
  const { product, vendor, q } = filters
  const pills = listShownTerms(q)
  const linked = findLinkedFilters(filters)
  const count =
    pills.length + linked.length + unread.length + Number(product !== undefined) + Number(vendor !== undefined)
  return (
    <Group ref={group} tabIndex={-1} gap={6} className={classes.pills} role="group" aria-label="Filters">
      {pills.map((term, at) => (
        <Pill key={termLabel(term)} label={termLabel(term)} onRemove={() => onChange({ q: withoutTerm(q, at) })} />
      ))}
      {linked.map(([name, label]) => (
        <Pill key={name} label={label} onRemove={() => onChange({ [name]: undefined })} />
      ))}
      {unread.map(([name, value]) => (
        <Pill
          key={name}
          label={`${name}=${value} is not understood`}
          isWrong
          onRemove={() => onChange({ [name]: undefined })}
        />
      ))}
      {product !== undefined && <ProductPill id={product} onRemove={() => onChange({ product: undefined })} />}
      {vendor !== undefined && <VendorPill id={vendor} onRemove={() => onChange({ vendor: undefined })} />}
      <AddFilter q={q} onAdd={(next) => change({ q: next })} />
      {count > 1 && (
        <Button variant="subtle" size="compact-sm" onClick={() => onChange(noFilters([...linked, ...unread]))}>
          Clear all filters
        </Button>
      )}
    </Group>
  )
}

function Pill({ label, isWrong = false, onRemove }: { label: string; isWrong?: boolean; onRemove: () => void }) {
  return (
    <Button
      variant={isWrong ? 'default' : 'light'}
      size="compact-sm"
      className={classes.pill}
      title={label}
      leftSection={isWrong && <IconAlertTriangle size={14} color="var(--alarm)" aria-hidden />}
      rightSection={<IconX size={14} aria-hidden />}
      aria-label={`${label}: remove this filter`}
      onClick={onRemove}
    >
      {label}
    </Button>
  )
}

// No notice for an unknown id: the empty list tells enough.
const silent = { meta: {} }

function ProductPill({ id, onRemove }: { id: number; onRemove: () => void }) {
  const { data, isPending } = useQuery({ ...productQuery(id), ...silent })
  const name = data ? productLabel(data.vendor, data.name) : isPending ? '…' : `number ${id}`
  return <Pill label={`Product ${name}`} onRemove={onRemove} />
}

function VendorPill({ id, onRemove }: { id: number; onRemove: () => void }) {
  const { data, isPending } = useQuery({ ...productsQuery({ vendor_id: id, limit: 1 }), ...silent })
  const vendor = data?.results[0]?.vendor
  const name = vendor === undefined ? (isPending ? '…' : `number ${id}`) : readableName(vendor)
  return <Pill label={`Vendor ${name}`} onRemove={onRemove} />
}

/** Filters in the address that no chip, slider or search field shows. */
function findLinkedFilters(filters: VulnFilters): [name: string, label: string][] {
  const covered = new Set(['product', 'vendor', 'score__gte', 'score__lte'])
  if (filters.q === undefined) covered.add('search')
  if (filters.monitored === true) covered.add('monitored')
  if (findQuickFilter(filters)) covered.add('updated_at__gte')
  const known = Object.entries(filters).flatMap(([name, value]): [string, string][] => {
    const param = params.get(name)
    if (!param || value === undefined || covered.has(name)) return []
    return [[name, comparisonLabel({ kind: 'compare', ...param, value: value as string | number | boolean })]]
  })
  return filters.product_version ? [...known, ['product_version', `Version ${filters.product_version}`]] : known
}

const noFilters = (linked: [string, string][]): VulnQueryInput => ({
  ...Object.fromEntries(linked.map(([name]) => [name, undefined])),
  q: undefined,
  product: undefined,
  vendor: undefined,
})
