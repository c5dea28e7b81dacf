import { Button, NativeSelect, Popover, Stack, TextInput } from '@mantine/core'
import { IconFilterPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { SubmitEvent } from 'react'
import { getDefinition, offeredFields } from '../../../worker/domain/query/fields'
import type { Field, Operator } from '../../../worker/domain/query/fields'
import { parseQuery } from '../../../worker/domain/query/parse'
import { parseValue } from '../../../worker/domain/query/values'
import { criteriaByKind, withTerm } from './query-terms'

type Props = { q: string | undefined; onAdd: (q: string) => void }

export function AddFilter({ q, onAdd }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isUnreadable = parseQuery(q ?? '').problem !== undefined
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus withinPortal shadow="md" width={290} position="bottom-start">
      <Popover.Target>
        <Button
          variant="default"
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
  const op = kind === 'flag' ? 'eq' : criteriaByKind[kind ?? 'text'].find(([one]) => one === criteria)?.[0]
  const written = kind === 'flag' ? criteria : text
  const read = field && op && written ? parseValue(field, op, written) : undefined
  const problem = text && read && 'expected' in read ? `Expected ${read.expected}` : undefined

  const choices = kind === 'flag' ? ['true', 'false'].map((one) => ({ value: one, label: one })) : criteriaChoices(kind)
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
        <Button type="submit" size="xs" disabled={!read || 'expected' in read}>
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
