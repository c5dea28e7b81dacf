import { Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { VendorDetail } from '../../../worker/kb/contract'
import { readableName } from '../../../worker/domain/names/product'
import { formatCount } from '../../lib/format'
import { useIdParam } from '../../lib/id-param'
import { isNotFound } from '../../lib/not-found'
import { AppLink } from '../../ui/app-link'
import { FailedState } from '../../ui/failed-state'
import { Fact, Facts } from '../../ui/facts'
import { MissingState } from '../../ui/missing-state'
import { ProductLabel } from '../../ui/product-name'
import { Page } from '../../ui/page'
import { Timestamp } from '../../ui/timestamp'
import { vendorQuery } from './api'
import { AliasList } from '../alias-list'
import { ChangeTimeline } from '../change-timeline'
import { ProductList } from '../products/product-list'
import { ScopedVulns } from '../scoped-vulns'
import { UrlTabs } from '../../ui/url-tabs'
import { WatchToggle } from '../../watchlist/watch-toggle'
import { ensureWithId } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

const words = ['Monitored', 'Not monitored'] as const

export const startVendor = (place: Place) => ensureWithId(place, vendorQuery)

export function VendorPage() {
  const id = useIdParam()
  return id === undefined ? <NoVendor /> : <Vendor id={id} />
}

const NoVendor = () => <MissingState title="Vendor not found" to="/vendors" label="All vendors" />

function Vendor({ id }: { id: number }) {
  const { data: vendor, error, refetch } = useQuery(vendorQuery(id))

  if (isNotFound(error)) return <NoVendor />
  if (error && !vendor)
    return (
      <Page title="Vendor">
        <FailedState title="Unable to get vendor details" error={error} onRetry={() => void refetch()} />
      </Page>
    )
  return (
    <Page
      title={vendor ? readableName(vendor.name) : 'Vendor'}
      heading={vendor && <ProductLabel name={vendor.name} />}
      isWaiting={vendor === undefined}
      actions={
        vendor ? (
          <WatchToggle kind="vendor" item={vendor} name={`${vendor.name} with all its products`} words={words} />
        ) : (
          <Skeleton height={26} width={130} radius="xl" />
        )
      }
    >
      <UrlTabs
        tabs={[
          { key: 'details', label: 'Details', content: <Details id={id} vendor={vendor} /> },
          { key: 'products', label: 'Products', content: <ProductList vendorId={id} /> },
          { key: 'timeline', label: 'Timeline', content: <ChangeTimeline subject={{ vendor: id }} /> },
        ]}
      />
    </Page>
  )
}

function Details({ id, vendor }: { id: number; vendor: VendorDetail | undefined }) {
  return (
    <>
      <Facts>
        <Fact label="Vulnerabilities">
          {vendor ? (
            <AppLink to={`/vulns?vendor=${id}`}>{formatCount(vendor.vulns_count)}</AppLink>
          ) : (
            <Skeleton height={14} w={48} />
          )}
        </Fact>
        <Fact label="Products">
          {vendor ? (
            <AppLink to={`/vendor/${id}?tab=products`}>{formatCount(vendor.products_count)}</AppLink>
          ) : (
            <Skeleton height={14} w={48} />
          )}
        </Fact>
        {vendor && vendor.aliases.length > 0 && (
          <Fact label="Also written">
            <AliasList aliases={vendor.aliases} />
          </Fact>
        )}
        <Fact label="Last update">
          {vendor ? <Timestamp at={vendor.updated_at} /> : <Skeleton height={14} w={80} />}
        </Fact>
      </Facts>
      <Title order={2}>Vulnerabilities</Title>
      <ScopedVulns scope={{ vendor: id }} />
    </>
  )
}
