import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { listRuns, listSkips, runSync } from '../../../worker/feeds/contract'
import type { FeedInfo, SkipsQuery, syncTriggers, syncYearTriggers } from '../../../worker/feeds/contract'
import { freshnessQuery } from '../../layout/api'
import { call } from '../../lib/call'

type FeedId = FeedInfo['id']

const whileRunning_ms = 2_000
const otherwise_ms = 15_000

export const feedsQuery = queryOptions({
  ...freshnessQuery,
  refetchInterval: ({ state: { data } }) =>
    data?.feeds.some(({ state }) => state === 'running') ? whileRunning_ms : otherwise_ms,
})

export const skipsQuery = (query: SkipsQuery) =>
  queryOptions({
    queryKey: ['feeds', 'skips', query],
    queryFn: ({ signal }) => call(listSkips, { query, signal }),
    placeholderData: keepPreviousData,
  })

export const runsQuery = (feed: FeedId) =>
  queryOptions({
    queryKey: ['feeds', 'runs', feed],
    queryFn: ({ signal }) => call(listRuns, { query: { feed, limit: 10 }, signal }),
  })

const refreshFeeds = (client: QueryClient) => client.invalidateQueries({ queryKey: ['feeds'] })

export const runFeedsMutation = mutationOptions({
  mutationFn: (feed: FeedId | undefined) => call(runSync, { query: { feed } }),
  onSuccess: (_reply, _feed, _result, { client }) => refreshFeeds(client),
  meta: { success: 'Sync successfuly enqueued.', failure: 'Unable to sync :/' },
})

type Trigger = (typeof syncTriggers)[number]['contract']

export const callTriggerMutation = mutationOptions({
  mutationFn: (contract: Trigger) => call(contract),
  onSuccess: (_reply, _contract, _result, { client }) => refreshFeeds(client),
  meta: { success: 'Sync successfuly enqueued.', failure: 'Unable to call action' },
})

type YearTrigger = { contract: (typeof syncYearTriggers)[number]; year: number }

export const callYearTriggerMutation = mutationOptions({
  mutationFn: ({ contract, year }: YearTrigger) => call(contract, { params: { year } }),
  onSuccess: (_reply, _trigger, _result, { client }) => refreshFeeds(client),
  meta: { success: 'Sync successfuly enqueued.', failure: 'Unable to call action' },
})
