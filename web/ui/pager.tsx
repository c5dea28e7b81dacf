import { Button, Group, NativeSelect, Pagination, Text } from '@mantine/core'
import { countCap, pageSizes } from '../../worker/http/page'
import { formatCount } from '../lib/format'
import { rememberRows } from '../lib/row-count'

type Paging = { page: number; limit: number }
type Found = { count: number; count_is_exact: boolean; results: unknown[] }
type Props = {
  of: string
  paging: Paging
  found: Found | undefined
  /** None to choose of where it is empty. */
  sizes?: readonly number[]
  onChange: (paging: Partial<Paging>) => void
}

export function Pager({ of, paging, found, sizes: offered = pageSizes, onChange }: Props) {
  const { page, limit } = paging
  // It stands below rows that are not there yet, and would be seen to jump.
  if (!found) return <Group mih={36} />
  const sizes = [...new Set([...offered, limit])].toSorted((a, b) => a - b)
  return (
    <Group justify="space-between" gap="sm" mih={36} component="nav" aria-label={`Pages of ${of}`}>
      <Text size="sm" c="dimmed" role="status">
        {describe(paging, found)}
      </Text>
      <Group gap="sm">
        {found.results.length === 0 && page > 1 && (
          <Button size="xs" onClick={() => onChange({ page: 1 })}>
            First page
          </Button>
        )}
        {found.results.length > 0 && (
          <Pagination
            size="sm"
            siblings={1}
            value={page}
            total={lastPage(paging, found)}
            onChange={(next) => onChange({ page: next })}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          />
        )}
        {offered.length > 0 && (
          <NativeSelect
            size="xs"
            w={96}
            aria-label="Rows per page"
            value={limit}
            data={sizes.map((size) => ({ value: String(size), label: `${size} rows` }))}
            onChange={({ currentTarget: { value } }) => {
              rememberRows(of, value)
              onChange({ limit: Number(value) })
            }}
          />
        )}
      </Group>
    </Group>
  )
}

function describe({ page, limit }: Paging, { count, count_is_exact, results }: Found) {
  if (results.length === 0) {
    if (count === 0) return page === 1 || count_is_exact ? 'No results' : 'Nothing on this page'
    return `Nothing on this page, ${formatCount(count, count_is_exact)} in total`
  }
  const first = (page - 1) * limit + 1
  return `${formatCount(first)}–${formatCount(first + results.length - 1)} of ${formatCount(count, count_is_exact)}`
}

// Pages beyond the cap are slow, and where the count stopped the last one is unknown: each full page has a next one.
function lastPage({ page, limit }: Paging, { count, count_is_exact, results }: Found) {
  const pages = Math.max(1, Math.ceil(Math.min(count, countCap) / limit))
  const isKnown = count_is_exact && count <= countCap
  return isKnown ? pages : Math.max(pages, results.length === limit ? page + 1 : page)
}
