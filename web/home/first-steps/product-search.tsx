import { Checkbox, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProductRow } from '../../../worker/kb/contract'
import { productsQuery } from '../../catalog/api'
import { plural } from '../../lib/format'
import { FailedLine } from '../../ui/failed-line'
import { ProductLabel } from '../../ui/product-name'
import { SearchField } from '../../ui/search-field'
import classes from './first-steps.module.css'

const minCharacters = 3
const shownProducts = 30

type Props = { chosen: ProductRow[]; isFull: boolean; onToggle: (product: ProductRow) => void }

export function ProductSearch({ chosen, isFull, onToggle }: Props) {
  const [search, setSearch] = useState('')
  const isLongEnough = search.length >= minCharacters
  const query = useQuery({ ...productsQuery({ search, limit: shownProducts }), enabled: isLongEnough })
  const { data, isFetching } = query
  const found = isLongEnough && !query.error ? data : undefined
  return (
    <>
      <SearchField label="Search products" value={search} onChange={setSearch} />
      <Text size="sm" c="dimmed" role="status">
        {!isLongEnough && `Type at least ${minCharacters} characters of a product or its vendor.`}
        {isLongEnough && isFetching && 'Searching…'}
        {found && !isFetching && describe(found)}
        {isLongEnough && !isFetching && <FailedLine text="The products could not be searched." query={query} />}
      </Text>
      {found && found.results.length > 0 && (
        <ul className={classes.found} aria-label="Products found">
          {found.results.map((product) => {
            const isChosen = chosen.some(({ id }) => id === product.id)
            return (
              <li key={product.id}>
                <Checkbox
                  size="xs"
                  label={
                    <>
                      <ProductLabel vendor={product.vendor} name={product.name} />
                      {product.vulns_count === 0 && ' (no vulnerability is known)'}
                      {product.monitored && !isChosen && ' (monitored already)'}
                    </>
                  }
                  checked={isChosen || product.monitored}
                  disabled={!isChosen && (isFull || product.monitored)}
                  onChange={() => onToggle(product)}
                />
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

type Found = { count: number; count_is_exact: boolean; results: unknown[] }

function describe({ count, count_is_exact, results }: Found) {
  if (count === 0) return 'No product matches.'
  if (results.length < count || !count_is_exact) return `The first ${results.length}; more letters find fewer.`
  return `${plural(count, 'product')} found.`
}
