import { Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ProductDetail } from '../../../worker/kb/contract'
import { readableName } from '../../../worker/domain/names/product'
import { formatCount } from '../../lib/format'
import { useIdParam } from '../../lib/id-param'
import { isNotFound } from '../../lib/not-found'
import { AppLink } from '../../ui/app-link'
import { FailedState } from '../../ui/failed-state'
import { Fact, Facts } from '../../ui/facts'
import { Later } from '../../ui/later'
import { MissingState } from '../../ui/missing-state'
import { ProductLabel } from '../../ui/product-name'
import { Page } from '../../ui/page'
import { Timestamp } from '../../ui/timestamp'
import { productQuery } from '../../catalog/api'
import { AliasList, Namesakes } from '../alias-list'
import { ChangeTimeline } from '../change-timeline'
import { WatchToggle } from '../../watchlist/watch-toggle'
import { ProductVulns } from './product-vulns'
import { UrlTabs } from '../../ui/url-tabs'
import { ensureWithId } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

const words = ['Monitored', 'Not monitored'] as const

export const startProductPage = (place: Place) => ensureWithId(place, productQuery)

export function ProductPage() {
  const id = useIdParam()
  return id === undefined ? <NoProduct /> : <Product id={id} />
}

const NoProduct = () => <MissingState title="Product not found" to="/products" label="All products" />

function Product({ id }: { id: number }) {
  const { data: product, error, refetch } = useQuery(productQuery(id))

  if (isNotFound(error)) return <NoProduct />
  if (error && !product)
    return (
      <Page title="Product">
        <FailedState title="unable to get product details" error={error} onRetry={() => void refetch()} />
      </Page>
    )
  return (
    <Page
      title={product ? readableName(product.name) : 'Product'}
      heading={product && <ProductLabel name={product.name} />}
      isWaiting={product === undefined}
      actions={
        product ? (
          <WatchToggle kind="product" item={product} name={`${product.vendor} ${product.name}`} words={words} />
        ) : (
          <Skeleton height={26} width={130} radius="xl" />
        )
      }
    >
      <UrlTabs
        tabs={[
          { key: 'details', label: 'Details', content: <Details id={id} product={product} /> },
          { key: 'timeline', label: 'Timeline', content: <ChangeTimeline subject={{ product: id }} /> },
        ]}
      />
    </Page>
  )
}

function Details({ id, product }: { id: number; product: ProductDetail | undefined }) {
  return (
    <>
      <Facts>
        <Fact label="Vendor">
          {product ? (
            <AppLink to={`/vendor/${product.vendor_id}`}>
              <ProductLabel name={product.vendor} />
            </AppLink>
          ) : (
            <Skeleton height={14} w={120} />
          )}
        </Fact>
        <Fact label="Vulnerabilities">
          {product ? (
            <AppLink to={`/vulns?product=${id}`}>{formatCount(product.vulns_count)}</AppLink>
          ) : (
            <Skeleton height={14} w={48} />
          )}
        </Fact>
        <Fact label="Known versions">
          {product ? formatCount(product.versions_count) : <Skeleton height={14} w={48} />}
        </Fact>
        {product && product.aliases.length > 0 && (
          <Fact label="Also written">
            <AliasList aliases={product.aliases} />
          </Fact>
        )}
        {product && product.namesakes.length > 0 && (
          <Fact label="Same name at">
            <Namesakes namesakes={product.namesakes} />
          </Fact>
        )}
        <Fact label="Last update">
          {product ? <Timestamp at={product.updated_at} /> : <Skeleton height={14} w={80} />}
        </Fact>
      </Facts>
      <Later when={product !== undefined}>
        <Title order={2}>Known versions</Title>
        <ProductVulns id={id} product={product} />
      </Later>
    </>
  )
}
