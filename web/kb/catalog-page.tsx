import { Skeleton } from '@mantine/core'
import type { QueryKey, UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { readableName } from '../../worker/domain/names/product'
import { useNamedRow } from '../lib/id-param'
import { FailedState } from '../ui/failed-state'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { ProductLabel } from '../ui/product-name'
import { UrlTabs } from '../ui/url-tabs'
import { WatchToggle } from '../watchlist/watch-toggle'
import { ChangeTimeline } from './change-timeline'

type Item = { id: number; name: string; monitored: boolean }
type Props<Found extends Item, Key extends QueryKey> = {
  kind: 'vendor' | 'product' | 'package'
  title: string
  query: (id: number) => UseQueryOptions<Found, Error, Found, Key>
  failed: string
  watchedAs: (found: Found) => string
  renderDetails: (id: number, found: Found | undefined) => ReactNode
  /** Between its details and its timeline. */
  renderTabs?: (id: number) => Parameters<typeof UrlTabs>[0]['tabs']
}

/** The page of a vendor, a product or a package. */
export function CatalogPage<Found extends Item, Key extends QueryKey>(props: Props<Found, Key>) {
  const { kind, title, query, failed, watchedAs, renderDetails, renderTabs } = props
  const { id, found, isMissing } = useNamedRow(query)
  const { data, error, refetch } = found
  if (isMissing) return <MissingState title={`${title} not found`} to={`/${kind}s`} label={`All ${kind}s`} />
  if (error && !data)
    return (
      <Page title={title}>
        <FailedState title={failed} query={{ error, refetch }} />
      </Page>
    )
  const isCode = kind === 'package'
  return (
    <Page
      title={data ? (isCode ? data.name : readableName(data.name)) : title}
      heading={data && (isCode ? data.name : <ProductLabel name={data.name} />)}
      isWaiting={!data}
      actions={
        data ? (
          <WatchToggle kind={kind} item={data} name={watchedAs(data)} inWords />
        ) : (
          <Skeleton height={26} width={130} radius="xl" />
        )
      }
    >
      <UrlTabs
        tabs={[
          { key: 'details', label: 'Details', content: renderDetails(id, data) },
          ...(renderTabs?.(id) ?? []),
          { key: 'timeline', label: 'Timeline', content: <ChangeTimeline kind={kind} id={id} /> },
        ]}
      />
    </Page>
  )
}
