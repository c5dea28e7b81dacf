import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { VulnRow } from '../../worker/vulns/contract'
import { formatDate } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { EmptyState } from '../ui/empty-state'
import { FailedState } from '../ui/failed-state'
import { Later } from '../ui/later'
import { Page } from '../ui/page'
import { latest_days, latestQuery, newsQuery, deskQuery } from './api'
import { beforeVisit } from './last-visit'
import { Checklist } from './first-steps/checklist'
import { DeskCards } from './desk-cards'
import { statsQuery } from '../watchlist/api'
import { GroupSelect } from '../watchlist/group-select'
import { NothingMonitored } from '../watchlist/nothing-monitored'
import { LatestExploits, LatestVulns } from './latest-vulns'
import { NewsCards } from './news-cards'
import { StatCards } from './stat-cards'
import { ensure, type Place } from '../lib/ensure'

const FirstStepsDialog = lazy(() => import('./first-steps/dialog').then((one) => ({ default: one.FirstStepsDialog })))

export function startHome({ search }: Place) {
  const group = new URLSearchParams(search).get('group') ?? undefined
  return Promise.all([
    ensure(deskQuery(beforeVisit())),
    ensure(statsQuery),
    ensure(newsQuery),
    ensure(latestQuery(group)),
  ])
}

export function HomePage() {
  const [search, setSearch] = useSearchParams()
  const group = search.get('group') ?? undefined
  const stats = useQuery(statsQuery)
  const news = useQuery(newsQuery)
  const { data, error, isPending, refetch } = useQuery(latestQuery(group))
  const latest = { error, refetch }
  return (
    <Page title="Home">
      <DeskCards isEmpty={stats.data?.monitored === 0} />
      <Checklist />
      {stats.error && !stats.data ? (
        <Card title="Numbers">
          <FailedState query={stats} />
        </Card>
      ) : (
        <StatCards stats={stats.data} />
      )}
      <NewsCards />
      <Later when={!news.isPending && !isPending}>
        <LatestVulns
          title={`Latest monitored vulnerabilities and products (< ${latest_days} days)`}
          listing={{ ...latest, rows: data?.monitored_vulns }}
          empty={
            stats.data?.monitored === 0 ? <NothingMonitored /> : <NothingNew last={data?.last_monitored ?? null} />
          }
          more={
            stats.data?.monitored !== 0 && (
              <Group gap="sm">
                <GroupSelect
                  group={group}
                  onChange={(next) => setSearch(next ? { group: next } : {}, { replace: true })}
                />
                <AppLink
                  to={group ? `/vulns?monitored=true&group=${encodeURIComponent(group)}` : '/vulns?monitored=true'}
                  fz="sm"
                  aria-label="See all monitored vulnerabilities"
                >
                  See all
                </AppLink>
              </Group>
            )
          }
        />
        <LatestVulns
          title="Latest vulnerabilities (Top 20)"
          listing={{ ...latest, rows: data?.vulns }}
          empty={<EmptyState title="No vulnerabilities yet" text="The feeds are loading for the first time." />}
          more={
            <AppLink to="/vulns" fz="sm">
              See all
            </AppLink>
          }
        />
        <LatestExploits listing={{ ...latest, rows: data?.exploits }} />
      </Later>
      {search.get('firststeps') === '1' && <FirstSteps />}
    </Page>
  )
}

const FirstSteps = () => (
  <Suspense>
    <FirstStepsDialog />
  </Suspense>
)

function NothingNew({ last }: { last: VulnRow | null }) {
  if (!last)
    return (
      <EmptyState title="Nothing concerns you yet" text="No vulnerability is known of the items that you monitor." />
    )
  return (
    <EmptyState title={`Nothing that you monitor changed in ${latest_days} days`}>
      <AppLink to={`/vulns/${last.id}`} fz="sm">
        The last that did: {last.known_as}, {formatDate(last.updated_at)}
      </AppLink>
    </EmptyState>
  )
}
