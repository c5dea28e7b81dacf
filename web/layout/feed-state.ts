import type { FeedInfo } from '../../worker/feeds/contract'
import { formatRelative } from '../lib/format'

type Freshness = { tone: 'calm' | 'busy' | 'warning'; text: string }

export const isTroubled = ({ state, is_late }: FeedInfo) => state === 'failed' || is_late

export function freshnessOf(feeds: FeedInfo[]): Freshness {
  const troubled = feeds.filter(isTroubled)
  if (troubled.length > 0)
    return { tone: 'warning', text: `${troubled.map(({ name }) => name).join(', ')}: late or failed` }

  const oldest = feeds
    .map(({ last_success }) => last_success ?? '')
    .toSorted()
    .at(0)
  if (!oldest) return { tone: 'busy', text: 'Feeds are loading for the first time' }
  return { tone: 'calm', text: `Feeds up to date, ${formatRelative(oldest)}` }
}

export function describeFeed({ state, last_success, is_late, total, records }: FeedInfo) {
  if (state === 'running') return total ? `Running: ${records} of ${total} records` : `Running: ${records} records`
  if (state === 'failed') return 'Failed'
  if (!last_success) return 'Not run yet'
  return is_late ? 'Late' : 'Up to date'
}
