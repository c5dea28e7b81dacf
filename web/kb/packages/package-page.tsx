import { Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PackageDetail } from '../../../worker/packages/contract'
import { formatCount } from '../../lib/format'
import { useIdParam } from '../../lib/id-param'
import { isNotFound } from '../../lib/not-found'
import { AppLink } from '../../ui/app-link'
import { FailedState } from '../../ui/failed-state'
import { Fact, Facts } from '../../ui/facts'
import { Later } from '../../ui/later'
import { MissingState } from '../../ui/missing-state'
import { Page } from '../../ui/page'
import { Timestamp } from '../../ui/timestamp'
import { ChangeTimeline } from '../change-timeline'
import { WatchToggle } from '../../watchlist/watch-toggle'
import { PackageType } from './package-type'
import { LookAlikes, PackageVulns } from './package-vulns'
import classes from './package.module.css'
import { packageQuery } from './api'
import { UrlTabs } from '../../ui/url-tabs'
import { ensureWithId } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

const words = ['Monitored', 'Not monitored'] as const

export const startPackage = (place: Place) => ensureWithId(place, packageQuery)

export function PackagePage() {
  const id = useIdParam()
  return id === undefined ? <NoPackage /> : <Package id={id} />
}

const NoPackage = () => <MissingState title="Package not found" to="/packages" label="All packages" />

function Package({ id }: { id: number }) {
  const { data: found, error, refetch } = useQuery(packageQuery(id))

  if (isNotFound(error)) return <NoPackage />
  if (error && !found)
    return (
      <Page title="Package">
        <FailedState title="Unable to get package details" error={error} onRetry={() => void refetch()} />
      </Page>
    )
  return (
    <Page
      title={found?.name ?? 'Package'}
      isWaiting={found === undefined}
      actions={
        found ? (
          <WatchToggle kind="package" item={found} name={`${found.type} ${found.name}`} words={words} />
        ) : (
          <Skeleton height={26} width={130} radius="xl" />
        )
      }
    >
      <UrlTabs
        tabs={[
          { key: 'details', label: 'Details', content: <Details id={id} found={found} /> },
          { key: 'timeline', label: 'Timeline', content: <ChangeTimeline subject={{ package: id }} /> },
        ]}
      />
    </Page>
  )
}

function Details({ id, found }: { id: number; found: PackageDetail | undefined }) {
  return (
    <>
      <Facts>
        <Fact label="Type">{found ? <PackageType type={found.type} /> : <Skeleton height={14} w={60} />}</Fact>
        <Fact label="Name">
          {found ? <span className={classes.name}>{found.name}</span> : <Skeleton height={14} w={160} />}
        </Fact>
        <Fact label="purl">
          {found ? <code className={classes.name}>{found.purl}</code> : <Skeleton height={14} w={200} />}
        </Fact>
        <Fact label="Vulnerabilities">
          {found ? (
            <AppLink to={`/vulns?package=${id}`}>{formatCount(found.vulns_cnt)}</AppLink>
          ) : (
            <Skeleton height={14} w={48} />
          )}
        </Fact>
        <Fact label="Last update">{found ? <Timestamp at={found.updated_at} /> : <Skeleton height={14} w={80} />}</Fact>
      </Facts>
      <Later when={found !== undefined}>
        {found && <LookAlikes found={found} />}
        <Title order={2}>Is a version affected?</Title>
        <PackageVulns id={id} found={found} />
      </Later>
    </>
  )
}
