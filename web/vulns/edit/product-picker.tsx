import { MultiSelect, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { productLabel } from '../../../worker/domain/names/product'
import { productsQuery } from '../../catalog/api'
import { FailedLine } from '../../ui/failed-line'

const minCharacters = 3
const debounce_ms = 500
const shownProducts = 30

export type PickedProduct = { id: number; vendor: string; name: string }
type Props = { picked: PickedProduct[]; error?: string | undefined; onPick: (picked: PickedProduct[]) => void }

export function ProductPicker({ picked, error, onPick }: Props) {
  const [search, setSearch] = useState('')
  const [term] = useDebouncedValue(search.trim(), debounce_ms)
  const isLongEnough = term.length >= minCharacters
  const query = useQuery({
    ...productsQuery({ search: term, limit: shownProducts }),
    enabled: isLongEnough,
  })
  const found: PickedProduct[] = isLongEnough ? (query.data?.results ?? []) : []
  const known = new Map([...picked, ...found].map((product) => [String(product.id), product]))
  const hasFailed = isLongEnough && !query.isFetching && query.error !== null
  return (
    <div>
      <MultiSelect
        label="Products"
        description={`All their versions are affected. Type at least ${minCharacters} characters to find one.`}
        searchable
        clearable
        hidePickedOptions
        error={error}
        searchValue={search}
        onSearchChange={setSearch}
        value={picked.map(({ id }) => String(id))}
        onChange={(ids) => onPick(ids.flatMap((id) => known.get(id) ?? []))}
        data={[...known].map(([value, { vendor, name }]) => ({ value, label: productLabel(vendor, name) }))}
        // No filter: the server's hits match, even with other spellings.
        filter={({ options }) => options}
        nothingFoundMessage={
          isLongEnough && !hasFailed ? (query.isFetching ? 'Searching…' : 'No product matches.') : undefined
        }
      />
      {hasFailed && (
        <Text size="sm" mt={4}>
          <FailedLine text="The products could not be searched." query={query} />
        </Text>
      )}
    </div>
  )
}
