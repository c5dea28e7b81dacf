import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconX } from '@tabler/icons-react'
import { productLabel } from '../../worker/domain/product'
import type { VulnQuery, VulnQueryInput } from '../../worker/vulns/contract'
import { productQuery, productsQuery } from '../kb/api'
import { quickFilterOf } from './quick-filter'

type Props = { filters: VulnQuery; onChange: (patch: VulnQueryInput) => void }

/** Filters that a link brought along and no control of the screen shows. */
export function ExtraFilters({ filters, onChange }: Props) {
  const { product, vendor } = filters
  const active = describeExtras(filters)
  return (
    (active.length > 0 || product || vendor) && (
      <Group gap={6}>
        {active.map(([label, off]) => (
          <Off key={label} label={label} onClick={() => onChange(off)} />
        ))}
        {product && <ProductFilter id={product} onOff={() => onChange({ product: undefined })} />}
        {vendor && <VendorFilter id={vendor} onOff={() => onChange({ vendor: undefined })} />}
      </Group>
    )
  )
}

function Off({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      variant="light"
      size="compact-sm"
      rightSection={<IconX size={14} aria-hidden />}
      aria-label={`${label}: remove this filter`}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

// The list says what is wrong with an id that is not there: it is empty.
const silent = { meta: {} }

function ProductFilter({ id, onOff }: { id: number; onOff: () => void }) {
  const { data, isPending } = useQuery({ ...productQuery(id), ...silent })
  const name = data ? productLabel(data.vendor, data.name) : isPending ? '…' : `number ${id}`
  return <Off label={`Product ${name}`} onClick={onOff} />
}

function VendorFilter({ id, onOff }: { id: number; onOff: () => void }) {
  const { data, isPending } = useQuery({ ...productsQuery({ vendor_id: id, limit: 1 }), ...silent })
  const name = data?.results[0]?.vendor ?? (isPending ? '…' : `number ${id}`)
  return <Off label={`Vendor ${name}`} onClick={onOff} />
}

function describeExtras(filters: VulnQuery) {
  const { updated_at__gte, kev, is_exploitable, monitored } = filters
  const extras: [string, VulnQueryInput][] = []
  if (!quickFilterOf(filters)) extras.push([`Since ${updated_at__gte}`, { updated_at__gte: undefined }])
  if (monitored === false) extras.push(['Not monitored', { monitored: undefined }])
  if (kev !== undefined) extras.push([kev ? 'In KEV' : 'Not in KEV', { kev: undefined }])
  if (is_exploitable !== undefined)
    extras.push([is_exploitable ? 'Exploitable' : 'Not exploitable', { is_exploitable: undefined }])
  return extras
}
