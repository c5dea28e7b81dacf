import { Button, Group, NativeSelect, Popover, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconFilterPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type SubmitEvent } from 'react'
import { productLabel, readableName } from '../../../worker/domain/names/product'
import { params } from '../../../worker/domain/query/params'
import type { VulnFilters, VulnQueryInput } from '../../../worker/vulns/contract'
import { getDefinition, offeredFields, type Field, type Operator } from '../../../worker/domain/query/fields'
import { parseQuery } from '../../../worker/domain/query/parse'
import { parseValue } from '../../../worker/domain/query/values'
import { productQuery, productsQuery } from '../../catalog/api'
import classes from './filter-pills.module.css'
import { comparisonLabel, criteriaByKind, listShownTerms, termLabel, withoutTerm, withTerm } from './query-terms'
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

type AddFilterProps = { q: string | undefined; onAdd: (q: string) => void }

function AddFilter({ q, onAdd }: AddFilterProps) {
  const [isOpen, setOpen] = useState(false)
  const isUnreadable = parseQuery(q ?? '').problem !== undefined
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus withinPortal shadow="md" width={290} position="bottom-start">
      <Popover.Target>
        <Button
          size="compact-sm"
          leftSection={<IconFilterPlus size={15} aria-hidden />}
          disabled={isUnreadable}
          title={isUnreadable ? 'The query cannot be read: correct it first' : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          Add filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {isOpen && (
          <FilterForm
            onAdd={(field, op, value) => {
              onAdd(withTerm(q, { kind: 'compare', field, op, value }))
              setOpen(false)
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

type FormProps = { onAdd: (field: Field, op: Operator, value: string | number | boolean) => void }
const choose = { value: '', label: 'Choose…' }
const attributes = offeredFields.map((value) => ({ value, label: getDefinition(value).label }))

function FilterForm({ onAdd }: FormProps) {
  const [field, setField] = useState<Field>()
  const [criteria, setCriteria] = useState('')
  const [text, setText] = useState('')
  const kind = field && getDefinition(field).kind
  const op = kind === 'flag' ? 'eq' : criteriaByKind[kind ?? 'text'].find(([operator]) => operator === criteria)?.[0]
  const written = kind === 'flag' ? criteria : text
  const read = field && op && written ? parseValue(field, op, written) : undefined
  const problem = text && read && 'expected' in read ? `Expected ${read.expected}` : undefined

  const choices = kind === 'flag' ? ['true', 'false'].map((value) => ({ value, label: value })) : criteriaChoices(kind)
  const add = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (field && op && read && 'value' in read) onAdd(field, op, read.value)
  }
  return (
    <form onSubmit={add} aria-label="Add a filter">
      <Stack gap="xs">
        <NativeSelect
          label="Attribute"
          data={[choose, ...attributes]}
          value={field ?? ''}
          data-autofocus
          onChange={({ currentTarget: { value } }) => {
            setField(offeredFields.find((name) => name === value))
            setCriteria('')
            setText('')
          }}
        />
        <NativeSelect
          label="Criteria"
          data={[choose, ...choices]}
          value={criteria}
          disabled={!field}
          onChange={({ currentTarget: { value } }) => setCriteria(value)}
        />
        {kind !== 'flag' && <ValueInput field={field} value={text} error={problem} onChange={setText} />}
        <Button variant="filled" type="submit" size="xs" disabled={!read || 'expected' in read}>
          Add
        </Button>
      </Stack>
    </form>
  )
}

const criteriaChoices = (kind: keyof typeof criteriaByKind | undefined) =>
  kind ? criteriaByKind[kind].map(([value, label]) => ({ value, label })) : []

type ValueProps = {
  field: Field | undefined
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

function ValueInput({ field, value, error, onChange }: ValueProps) {
  const { kind, choices = [], example } = field ? getDefinition(field) : { kind: 'text', example: '' }
  const props = {
    label: 'Value',
    value,
    disabled: !field,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  }
  if (kind === 'choice') return <NativeSelect {...props} data={[choose, ...choices]} />
  return (
    <TextInput
      {...props}
      error={error}
      type={kind === 'number' || kind === 'key' ? 'number' : 'text'}
      step="any"
      placeholder={kind === 'date' ? '2026-01-31 or 7d' : example.replaceAll('"', '')}
      maxLength={200}
    />
  )
}
