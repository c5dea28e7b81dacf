import { Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { productLabel } from '../../../worker/domain/product'
import { params } from '../../../worker/domain/query/params'
import type { VulnFilters, VulnQueryInput } from '../../../worker/vulns/contract'
import { productQuery, productsQuery } from '../../catalog/api'
import { AddFilter } from './add-filter'
import { comparisonLabel, labelOf, pillsOf, withoutTerm } from './query-terms'
import { quickFilterOf } from './quick-filter'

type Props = {
  filters: VulnFilters
  /** What the address asks for that cannot be read. */
  unread?: [name: string, value: string][]
  onChange: (patch: VulnQueryInput) => void
}

/** Each filter that no other control shows, to be taken away one by one: the terms of the query, and what a link brought along. */
export function FilterPills({ filters, unread = [], onChange: change }: Props) {
  const group = useRef<HTMLDivElement>(null)
  // What is removed takes the focus with it: the next Tab goes on among the filters that are left.
  const onChange = (patch: VulnQueryInput) => {
    group.current?.focus()
    change(patch)
  }
  const { product, vendor, q } = filters
  const pills = pillsOf(q)
  const brought = broughtAlong(filters)
  const count =
    pills.length + brought.length + unread.length + Number(product !== undefined) + Number(vendor !== undefined)
  return (
    <Group ref={group} tabIndex={-1} gap={6} w="100%" miw={0} role="group" aria-label="Filters">
      {pills.map((term, at) => (
        <Pill key={labelOf(term)} label={labelOf(term)} onRemove={() => onChange({ q: withoutTerm(q, at) })} />
      ))}
      {brought.map(([name, label]) => (
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
        <Button variant="subtle" size="compact-sm" onClick={() => onChange(noFilters([...brought, ...unread]))}>
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
      maw="100%"
      leftSection={isWrong && <IconAlertTriangle size={14} color="var(--alarm)" aria-hidden />}
      rightSection={<IconX size={14} aria-hidden />}
      aria-label={`${label}: remove this filter`}
      onClick={onRemove}
    >
      {label}
    </Button>
  )
}

// The list says what is wrong with an id that is not there: it is empty.
const silent = { meta: {} }

function ProductPill({ id, onRemove }: { id: number; onRemove: () => void }) {
  const { data, isPending } = useQuery({ ...productQuery(id), ...silent })
  const name = data ? productLabel(data.vendor, data.name) : isPending ? '…' : `number ${id}`
  return <Pill label={`Product ${name}`} onRemove={onRemove} />
}

function VendorPill({ id, onRemove }: { id: number; onRemove: () => void }) {
  const { data, isPending } = useQuery({ ...productsQuery({ vendor_id: id, limit: 1 }), ...silent })
  const name = data?.results[0]?.vendor ?? (isPending ? '…' : `number ${id}`)
  return <Pill label={`Vendor ${name}`} onRemove={onRemove} />
}

/** Filters of the API in the address that neither a chip nor a slider nor a search shows. */
function broughtAlong(filters: VulnFilters): [name: string, label: string][] {
  const shown = new Set(['product', 'vendor', 'score__gte', 'score__lte'])
  if (filters.monitored === true) shown.add('monitored')
  if (quickFilterOf(filters)) shown.add('updated_at__gte')
  const known = Object.entries(filters).flatMap(([name, value]): [string, string][] => {
    const param = params.get(name)
    if (!param || value === undefined || shown.has(name)) return []
    return [[name, comparisonLabel({ kind: 'compare', ...param, value: value as string | number | boolean })]]
  })
  return filters.product_version ? [...known, ['product_version', `Version ${filters.product_version}`]] : known
}

const noFilters = (brought: [string, string][]): VulnQueryInput => ({
  ...Object.fromEntries(brought.map(([name]) => [name, undefined])),
  q: undefined,
  product: undefined,
  vendor: undefined,
})
