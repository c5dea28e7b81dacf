import { Page } from '../../ui/page'
import { ProductList } from './product-list'
import { ensure, filtersIn } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'
import { catalogDefaults, productsQuery } from '../../catalog/api'
import { mostFirst } from '../default-order'
import { ProductQuery } from '../../../worker/kb/contract'

export const startProducts = (place: Place) =>
  ensure(productsQuery(mostFirst(filtersIn(place, ProductQuery, catalogDefaults))))

export const ProductListPage = () => (
  <Page title="Products">
    <ProductList />
  </Page>
)
