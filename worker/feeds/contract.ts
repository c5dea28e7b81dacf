import { z } from 'zod'
import { endpoint } from '../http/endpoint'

export const feedIds = [
  'nvd',
  'kev',
  'epss',
  'exploitdb',
  'metasploit',
  'poc',
  'nuclei',
  'cwe',
  'capec',
  'attack',
  'csaf',
  'remerge',
] as const

export const FeedInfo = z.object({
  id: z.enum(feedIds),
  name: z.string(),
  state: z.enum(['idle', 'running', 'failed']),
  /** Of the current or last run. */
  records: z.int(),
  changed: z.int(),
  skipped: z.int(),
  total: z.int().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  last_success: z.string().nullable(),
  last_error: z.string().nullable(),
  next_run_at: z.string().nullable(),
  /** Whether a run that should have happened did not. */
  is_late: z.boolean(),
})
export type FeedInfo = z.output<typeof FeedInfo>

export const syncInfo = endpoint({
  method: 'GET',
  path: '/api/data/sync/info',
  access: 'member',
  summary: 'How fresh each feed is',
  reply: z.object({ feeds: z.array(FeedInfo) }),
})

export const runSync = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/api/data/sync/run',
  access: 'admin',
  summary: 'Run a feed now, or all of them',
  query: z.object({ feed: z.enum(feedIds).optional() }),
  reply: z.object({ status: z.literal('enqueued'), feeds: z.array(z.enum(feedIds)) }),
})
