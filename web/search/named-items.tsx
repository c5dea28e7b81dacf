import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { plural } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { FailedLine } from '../ui/failed-line'
import { ProductLabel } from '../ui/product-name'
import { WatchToggle } from '../watchlist/watch-toggle'
import { namedQueries } from './queries'
import classes from './search.module.css'

export function useNamed(term: string) {
  const queries = namedQueries(term)
  const [vendors, products] = [useQuery(queries.vendors), useQuery(queries.products)]
  return {
    isLoading: vendors.isLoading || products.isLoading,
    vendor: vendors.data?.results.find(isWorthShowing),
    products: (products.data?.results ?? []).filter(isWorthShowing),
    failed: [vendors, products].find(({ error }) => error),
  }
}

/** Hides names that no source uses any more: monitoring one would find nothing. */
const isWorthShowing = ({ vulns_count, monitored }: { vulns_count: number; monitored: boolean }) =>
  vulns_count > 0 || monitored

type Props = { term: string; named: ReturnType<typeof useNamed> }

export function NamedItems({ term, named: { vendor, products, failed } }: Props) {
  if (!vendor && products.length === 0 && !failed) return null
  return (
    <Card title={`Named “${term.trim()}”`}>
      <ul className={classes.named}>
        {vendor && (
          <Item
            kind="Vendor"
            to={`/vendor/${vendor.id}`}
            name={<ProductLabel name={vendor.name} />}
            count={vendor.vulns_count}
            toggle={<WatchToggle kind="vendor" item={vendor} name={vendor.name} inWords />}
          />
        )}
        {products.map((product) => (
          <Item
            key={product.id}
            kind="Product"
            to={`/product/${product.id}`}
            name={<ProductLabel vendor={product.vendor} name={product.name} />}
            count={product.vulns_count}
            toggle={<WatchToggle kind="product" item={product} name={product.name} inWords />}
          />
        ))}
      </ul>
      {failed && <FailedLine text="Vendors and products could not be looked up." query={failed} />}
    </Card>
  )
}

type ItemProps = { kind: string; to: string; name: ReactNode; count: number; toggle: ReactNode }

const Item = ({ kind, to, name, count, toggle }: ItemProps) => (
  <li>
    <Group gap="xs">
      <Text size="sm" c="dimmed" w={60}>
        {kind}
      </Text>
      <AppLink to={to} fw={600}>
        {name}
      </AppLink>
      <Text size="sm">{plural(count, 'vulnerability', 'vulnerabilities')}</Text>
      {toggle}
    </Group>
  </li>
)
