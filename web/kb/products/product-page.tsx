import { Title } from '@mantine/core'
import { productQuery } from '../../catalog/api'
import { ensureWithId, type Place } from '../../lib/ensure'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Fact, Facts } from '../../ui/facts'
import { Later } from '../../ui/later'
import { ProductLabel } from '../../ui/product-name'
import { Timestamp } from '../../ui/timestamp'
import { AliasList, Namesakes } from '../alias-list'
import { CatalogPage } from '../catalog-page'
import { ProductVulns } from './product-vulns'

export const startProductPage = (place: Place) => ensureWithId(place, productQuery)

export const ProductPage = () => (
  <CatalogPage
    kind="product"
    title="Product"
    query={productQuery}
    failed="unable to get product details"
    watchedAs={({ vendor, name }) => `${vendor} ${name}`}
    renderDetails={(id, product) => (
      <>
        <Facts>
          <Fact label="Vendor" width={120}>
            {product && (
              <AppLink to={`/vendor/${product.vendor_id}`}>
                <ProductLabel name={product.vendor} />
              </AppLink>
            )}
          </Fact>
          <Fact label="Vulnerabilities" width={48}>
            {product && <AppLink to={`/vulns?product=${id}`}>{formatCount(product.vulns_count)}</AppLink>}
          </Fact>
          <Fact label="Known versions" width={48}>
            {product && formatCount(product.versions_count)}
          </Fact>
          <AliasList aliases={product?.aliases} />
          <Namesakes namesakes={product?.namesakes} />
          <Fact label="Last update" width={80}>
            {product && <Timestamp at={product.updated_at} />}
          </Fact>
        </Facts>
        <Later when={product !== undefined}>
          <Title order={2}>Known versions</Title>
          <ProductVulns id={id} product={product} />
        </Later>
      </>
    )}
  />
)
