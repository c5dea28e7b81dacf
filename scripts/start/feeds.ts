import { setTimeout as sleep } from 'node:timers/promises'
import { listFeeds, signInAdmin, type AdminCredentials, type FeedProgress } from './api.ts'
import { starter, type Options } from './options.ts'

/** Feeds slow down when somebody reads three times within three seconds (worker/db/readers); these pauses stay below that. */
const asked_ms = { starter: 2_000, other: 5_000 }

/** Reports once for each feed that its first load is done, or why it failed. */
export async function reportFirstLoads(options: Options, credentials: AdminCredentials, signal: AbortSignal) {
  const reported = new Set<string>()
  const every_ms = options.feeds === starter ? asked_ms.starter : asked_ms.other
  let token: string | undefined
  while (!signal.aborted) {
    token ??= await signInAdmin(options, credentials).catch(() => undefined)
    const feeds = token ? await listFeeds(options, token).catch(() => undefined) : []
    // The token ran out, or the server is busy: sign in again.
    if (!feeds) token = undefined
    for (const feed of feeds ?? []) if (!reported.has(feed.id) && tell(feed)) reported.add(feed.id)
    if (feeds && feeds.length > 0 && reported.size === feeds.length) return
    await sleep(every_ms, undefined, { signal }).catch(() => undefined)
  }
}

function tell({ name, last_success, last_error, records, skipped }: FeedProgress) {
  if (!last_success && !last_error) return false
  const left = skipped ? `, ${skipped} skipped` : ''
  console.log(
    last_success ? `${name}: ${records.toLocaleString('en')} records${left}` : `${name} failed: ${last_error}`,
  )
  return true
}
