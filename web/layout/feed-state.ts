import { joinSome } from '../../worker/domain/words/short-lists'
import type { FeedInfo } from '../../worker/feeds/contract'
import { formatDate, formatRelative, plural } from '../lib/format'

type Freshness = { tone: 'calm' | 'busy' | 'warning'; text: string }

export const isTroubled = ({ state, is_late }: FeedInfo) => state === 'failed' || is_late

/** Of a copy of the feeds: ends are told, and alarm nobody. */
function describeCopy(feeds: FeedInfo[]) {
  const ended = listEnded(feeds).map(({ name, newest_at }) => `${name} until ${formatDate(newest_at ?? '')}`)
  return ended.length > 0 && `Feeds are read from a copy: ${joinSome(ended, named)}`
}

/** Feeds of a copy that is older than they usually are. */
export const listEnded = (feeds: FeedInfo[]) => feeds.filter(({ is_stale, is_late }) => is_stale && !is_late)

/** Was never read whole: what it knows is missing. A re-merge reads no source. */
const isUnread = ({ id, last_success }: FeedInfo) => !last_success && id !== 'remerge'
export const hasUnread = (feeds: FeedInfo[]) => feeds.some(isUnread)

/** More troubled feeds than this are only counted. */
const named = 3

/** The newest success of any feed shows that Earshot is listening at all. */
export function findFreshness(feeds: FeedInfo[], now = new Date()): Freshness {
  const troubled = feeds.filter(isTroubled).map(({ name }) => name)
  if (troubled.length > 0) {
    return { tone: 'warning', text: `${joinSome(troubled, named)}: late or failed` }
  }
  const successes = feeds.flatMap(({ last_success }) => last_success ?? []).toSorted()
  const newest = successes.at(-1)
  const isLoading = feeds.some((feed) => feed.state === 'running' && isUnread(feed))
  if (!newest || isLoading) return { tone: 'busy', text: 'Feeds are loading for the first time' }
  const holed = feeds.filter((feed) => countMissing(feed) > 0).map(({ name }) => name)
  const copy = describeCopy(feeds)
  if (copy && !holed.length) return { tone: 'calm', text: copy }
  const state = holed.length ? `${holed.join(', ')}: records are missing` : 'Feeds up to date'
  return { tone: holed.length ? 'warning' : 'calm', text: `${state}, last read ${formatRelative(newest, now)}` }
}

/** Records that a feed has and we lack: counted by year, or queued for repair. */
export const countMissing = ({ years, holes }: Pick<FeedInfo, 'years' | 'holes'>) =>
  Math.max(
    holes,
    years.reduce((sum, { source_count, here_count }) => sum + Math.max(source_count - here_count, 0), 0),
  )

export function describeFeed({ state, last_success, is_late, is_stale, total, records, ...rest }: FeedInfo) {
  if (state === 'running') return total ? `Running: ${records} of ${total} records` : `Running: ${records} records`
  if (state === 'failed') return 'Failed'
  if (!last_success) return 'Not run yet'
  if (is_late) return is_stale ? 'Nothing new for too long' : 'Late'
  if (is_stale) return 'Read whole, and the copy ends there'
  const missing = countMissing(rest)
  return missing ? `${plural(missing, 'record')} missing` : 'Up to date'
}
