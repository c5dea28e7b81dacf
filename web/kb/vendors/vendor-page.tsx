import { Title } from '@mantine/core'
import { getVendor } from '../../../worker/kb/contract'
import { askFor } from '../../lib/ask'
import { ensureWithId, type Place } from '../../lib/ensure'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { AliasList } from '../alias-list'
import { CatalogPage } from '../catalog-page'
import { ProductList } from '../products/product-list-page'
import { ScopedVulns } from '../scoped-vulns'

const vendorQuery = (id: number) =>
  askFor(['vendors', 'detail', id], getVendor, { params: { id } }, 'Unable to get vendor details')

export const startVendor = (place: Place) => ensureWithId(place, vendorQuery)

export const VendorPage = () => (
  <CatalogPage
    kind="vendor"
    title="Vendor"
    query={vendorQuery}
    failed="Unable to get vendor details"
    watchedAs={({ name }) => `${name} with all its products`}
    renderTabs={(id) => [{ key: 'products', label: 'Products', content: <ProductList vendorId={id} /> }]}
    renderDetails={(id, vendor) => (
      <>
        <Facts>
          <Fact label="Vulnerabilities" width={48}>
            {vendor && <AppLink to={`/vulns?vendor=${id}`}>{formatCount(vendor.vulns_count)}</AppLink>}
          </Fact>
          <Fact label="Products" width={48}>
            {vendor && <AppLink to={`/vendor/${id}?tab=products`}>{formatCount(vendor.products_count)}</AppLink>}
          </Fact>
          <AliasList aliases={vendor?.aliases} />
          <Fact label="Last update" width={80}>
            {vendor && <Timestamp at={vendor.updated_at} />}
          </Fact>
        </Facts>
        <Title order={2}>Vulnerabilities</Title>
        <ScopedVulns scope={{ vendor: id }} />
      </>
    )}
  />
)
