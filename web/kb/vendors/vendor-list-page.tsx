import { Page } from '../../ui/page'
import { ProductList } from '../products/product-list'
import { UrlTabs } from '../../ui/url-tabs'
import { VendorList } from './vendor-list'

export const VendorListPage = () => (
  <Page title="Vendors & products">
    <UrlTabs
      tabs={[
        { key: 'vendors', label: 'By Vendors', content: <VendorList /> },
        { key: 'products', label: 'By Products', content: <ProductList /> },
      ]}
    />
  </Page>
)
