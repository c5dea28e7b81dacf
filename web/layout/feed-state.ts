import type { FeedInfo } from '../../worker/feeds/contract'
import { formatRelative } from '../lib/format'

type Freshness = { tone: 'calm' | 'busy' | 'warning'; text: string }

export const isTroubled = ({ state, is_late }: FeedInfo) => state === 'failed' || is_late

/** More troubled feeds than this are only counted. */
const named = 3

/** The newest success of any feed shows that Earshot is listening at all. */
export function findFreshness(feeds: FeedInfo[], now = new Date()): Freshness {
  const troubled = feeds.filter(isTroubled).map(({ name }) => name)
  if (troubled.length > 0) {
    const more = troubled.length > named ? ` and ${troubled.length - named} more` : ''
    return { tone: 'warning', text: `${troubled.slice(0, named).join(', ')}${more}: late or failed` }
  }
  const successes = feeds.flatMap(({ last_success }) => last_success ?? []).toSorted()
  const newest = successes.at(-1)
  const isLoading = feeds.some(({ state, last_success }) => state === 'running' && !last_success)
  if (!newest || isLoading) return { tone: 'busy', text: 'Feeds are loading for the first time' }
  return { tone: 'calm', text: `Feeds up to date, last read ${formatRelative(newest, now)}` }
}

export function describeFeed({ state, last_success, is_late, total, records }: FeedInfo) {
  if (state === 'running') return total ? `Running: ${records} of ${total} records` : `Running: ${records} records`
  if (state === 'failed') return 'Failed'
  if (!last_success) return 'Not run yet'
  return is_late ? 'Late' : 'Up to date'
}
