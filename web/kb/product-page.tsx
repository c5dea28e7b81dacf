import { Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { VulnQuery } from '../../worker/vulns/contract'
import { useFilters } from '../lib/filters'
import { formatCount } from '../lib/format'
import { useIdParam } from '../lib/id-param'
import { isNotFound } from '../lib/not-found'
import { FailedState } from '../ui/failed-state'
import { Fact, Facts } from '../ui/facts'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { When } from '../ui/when'
import { vulnsQuery } from '../vulns/api'
import { VulnPages } from '../vulns/vuln-pages'
import { productQuery } from './api'
import { ProductToggle } from './product-toggle'

const words = ['Monitored', 'Not monitored'] as const

export function ProductPage() {
  const id = useIdParam()
  return id === undefined ? <NoProduct /> : <Product id={id} />
}

const NoProduct = () => <MissingState title="Product not found" to="/products" label="All products" />

function Product({ id }: { id: number }) {
  const { data: product, error, refetch } = useQuery(productQuery(id))
  const title = product?.name ?? 'Product'

  if (isNotFound(error)) return <NoProduct />
  if (error) return <FailedState error={error} onRetry={() => void refetch()} />
  return (
    <Page
      title={title}
      actions={
        product ? <ProductToggle product={product} words={words} /> : <Skeleton height={26} width={130} radius="xl" />
      }
    >
      <Facts>
        <Fact label="Vendor">{product?.vendor ?? <Skeleton height={14} w={120} />}</Fact>
        <Fact label="Vulnerabilities">
          {product ? formatCount(product.vulns_count) : <Skeleton height={14} w={48} />}
        </Fact>
        <Fact label="Last update">{product ? <When at={product.updated_at} /> : <Skeleton height={14} w={80} />}</Fact>
      </Facts>
      <Title order={2}>Vulnerabilities</Title>
      <ProductVulns id={id} />
    </Page>
  )
}

function ProductVulns({ id }: { id: number }) {
  const [filters, setFilters] = useFilters(VulnQuery, { limit: 10 })
  const vulns = useQuery(vulnsQuery({ ...filters, product: id }))
  return <VulnPages vulns={vulns} filters={filters} onChange={setFilters} />
}
