import { queryOptions } from '@tanstack/react-query'
import { listRuns, listSkips, runSync } from '../../../worker/feeds/contract'
import type { FeedInfo, SkipsQuery, syncTriggers, syncYearTriggers } from '../../../worker/feeds/contract'
import { confirmSupportName, listSupportNames } from '../../../worker/kb/names-contract'
import { freshnessQuery } from '../../layout/api'
import { askFor, askPage, change } from '../../lib/ask'
import { call } from '../../lib/call'

type FeedId = FeedInfo['id']

const whileRunning_ms = 2_000
const otherwise_ms = 15_000

export const feedsQuery = queryOptions({
  ...freshnessQuery,
  refetchInterval: ({ state: { data } }) =>
    data?.feeds.some(({ state }) => state === 'running') ? whileRunning_ms : otherwise_ms,
})

export const skipsQuery = (query: SkipsQuery) => askPage(['feeds', 'skips', query], listSkips, { query })

export const runsQuery = (feed: FeedId) => askFor(['feeds', 'runs', feed], listRuns, { query: { feed, limit: 10 } })

export const supportNamesQuery = askFor(['feeds', 'support-names'], listSupportNames, {})

type Confirming = { id: string; product_id: number; release: string | null; confirmed: boolean }

export const confirmSupportNameMutation = change(
  [['feeds', 'support-names'], ['products']],
  ({ id, ...body }: Confirming) => call(confirmSupportName, { params: { id }, body }),
  { failure: 'Unable to save what it is' },
)

export const runFeedsMutation = change([['feeds']], (feed: FeedId | undefined) => call(runSync, { query: { feed } }), {
  success: 'Sync successfuly enqueued.',
  failure: 'Unable to sync :/',
})

type Trigger = (typeof syncTriggers)[number]['contract']

export const callTriggerMutation = change([['feeds']], (contract: Trigger) => call(contract), {
  success: 'Sync successfuly enqueued.',
  failure: 'Unable to call action',
})

type YearTrigger = { contract: (typeof syncYearTriggers)[number]; year: number }

export const callYearTriggerMutation = change(
  [['feeds']],
  ({ contract, year }: YearTrigger) => call(contract, { params: { year } }),
  { success: 'Sync successfuly enqueued.', failure: 'Unable to call action' },
)
