import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Success } from '../http/fields'

const FeedRow = z.object({
  /** 0: all that is monitored. */
  view_id: z.int(),
  name: z.string(),
  created_at: z.string(),
})

export const listAlertFeeds = endpoint({
  path: '/api/alerts/feeds/',
  access: 'manageAlerts',
  summary: 'Feeds for feed readers',
  reply: z.array(FeedRow),
})

export const createAlertFeed = endpoint({
  method: 'POST',
  path: '/api/alerts/feeds/',
  access: 'manageAlerts',
  summary:
    'Make the feed of all alerts, or of a saved view; its addresses are answered this once, and replace the ones before',
  body: z.object({ view_id: z.coerce.number<number | string>().int().min(0).default(0) }),
  status: 201,
  reply: FeedRow.extend({ atom_url: z.string(), json_url: z.string() }),
})

export const removeAlertFeed = endpoint({
  method: 'DELETE',
  path: '/api/alerts/feeds/:view_id/',
  access: 'manageAlerts',
  summary: 'Revoke the addresses of a feed',
  params: z.object({ view_id: z.coerce.number<number | string>().int().min(0) }),
  reply: Success,
})

const feed = (format: 'atom' | 'json', produces: string) =>
  endpoint({
    path: `/api/public/feeds/:token/${format}`,
    access: 'public',
    summary: `A feed for feed readers (${format === 'atom' ? 'Atom' : 'JSON Feed 1.1'}); its address is its key`,
    params: z.object({ token: z.string().max(200) }),
    reply: z.never(),
    produces,
  })
export const atomFeed = feed('atom', 'application/atom+xml')
export const jsonFeed = feed('json', 'application/feed+json')
