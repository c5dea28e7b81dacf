import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { productsQuery, vendorsQuery } from '../catalog/api'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { ProductName } from '../ui/product-name'
import { WatchToggle } from '../watchlist/watch-toggle'
import classes from './search.module.css'

const shownProducts = 3

export function NamedItems({ term }: { term: string }) {
  const name = term.trim().toLowerCase().replaceAll(/\s+/g, '_')
  const quiet = { enabled: name.length > 1, meta: {} }
  const vendors = useQuery({ ...vendorsQuery({ name, limit: 1 }), ...quiet })
  const products = useQuery({ ...productsQuery({ name, limit: shownProducts, sorted_by: '-vulns_count' }), ...quiet })
  const [vendor] = vendors.data?.results ?? []
  const found = products.data?.results ?? []
  if (!vendor && found.length === 0) return null
  return (
    <Card title={`Named “${term.trim()}”`}>
      <ul className={classes.named}>
        {vendor && (
          <Item
            kind="Vendor"
            to={`/vendor/${vendor.id}`}
            name={<ProductName name={vendor.name} />}
            count={vendor.vulns_count}
            toggle={<WatchToggle kind="vendor" item={vendor} name={vendor.name} words={words} />}
          />
        )}
        {found.map((product) => (
          <Item
            key={product.id}
            kind="Product"
            to={`/product/${product.id}`}
            name={<ProductName vendor={product.vendor} name={product.name} />}
            count={product.vulns_count}
            toggle={<WatchToggle kind="product" item={product} name={product.name} words={words} />}
          />
        ))}
      </ul>
    </Card>
  )
}

const words = ['Monitored', 'Not monitored'] as const

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
      <Text size="sm">{formatCount(count)} vulnerabilities</Text>
      {toggle}
    </Group>
  </li>
)
