import { Page } from '../../ui/page'
import { ProductList } from './product-list'

export const ProductListPage = () => (
  <Page title="Products">
    <ProductList />
  </Page>
)
