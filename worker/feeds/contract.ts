import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { pageSchema, pageQuery } from '../http/page'
import { Tally } from '../http/fields'

/** Only the registry knows which feeds there are. */
const FeedId = z
  .string()
  .max(20)
  .regex(/^[a-z][a-z0-9]*$/, 'Must be the id of a feed, as nvd')

export const FeedInfo = z.object({
  id: FeedId,
  name: z.string(),
  state: z.enum(['idle', 'running', 'failed']),
  /** Of the current or last run. */
  records: z.int(),
  changed: Tally,
  skipped: z.int(),
  total: Tally.nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  last_success: z.string().nullable(),
  last_error: z.string().nullable(),
  next_run_at: z.string().nullable(),
  /** How old the newest content is: as the source says, else when it last changed anything here. */
  newest_at: z.string().nullable(),
  /** The last time in seven days at which the source rewrote many records without news, which alerts nobody. */
  mass_edit: z.object({ at: z.string(), records: z.int() }).nullable(),
  /** When all was last read anew, in seven days, because our rules changed, and how many records that changed without an alert; null while it goes on. */
  reread: z.object({ at: z.string(), records: Tally.nullable() }).nullable(),
  /** Whether the source has brought nothing new for longer than it usually rests. */
  is_stale: z.boolean(),
  /** Whether a run that should have happened did not, or the source is stale and no copy. */
  is_late: z.boolean(),
  /** How many records the source has of each year (of the CVE id), and how many of them are here. */
  years: z.array(z.object({ year: z.int(), source_count: Tally, here_count: Tally })),
  /** Records that the source has and we lack, queued for repair. */
  holes: z.int(),
  /** Unreadable records, by the commonest reasons. */
  skips: z.array(z.object({ reason: z.string(), count: Tally })),
})
export type FeedInfo = z.output<typeof FeedInfo>

export const syncInfo = endpoint({
  path: '/api/data/sync/info',
  access: 'member',
  summary: 'How fresh each feed is',
  reply: z.object({ feeds: z.array(FeedInfo) }),
})

const Enqueued = z.object({ status: z.literal('enqueued'), feeds: z.array(FeedId) })

/** Older clients write `kb_cve`, `cves` or `vuln`: this removes prefix and plural. */
const Model = z
  .string()
  .trim()
  .toLowerCase()
  .max(40)
  .transform((name) => name.replace(/^kb_/, '').replace(/s$/, ''))

export const runSync = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/api/data/sync/run',
  access: 'admin',
  summary: 'Run a feed now, those that fill a model of older clients, or all of them',
  query: z.object({ feed: FeedId.optional(), model: Model.optional() }),
  reply: Enqueued,
})

const Run = z.object({
  id: z.int(),
  feed: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  steps: z.int(),
  records: z.int(),
  changed: Tally,
  skipped: z.int(),
  /** Those of the changed ones that are no news: other dates, ids, links, order or wording, or scores of another model. */
  rewritten: Tally,
  total: Tally.nullable(),
  error: z.string().nullable(),
})

export const lastSync = endpoint({
  path: '/api/data/sync/last',
  access: 'admin',
  summary: 'The last run of a feed that succeeded; an empty object before the first',
  reply: Run.partial(),
})

const SkipsQuery = pageQuery(['at'], '-at').extend({ feed: FeedId.optional() })
export type SkipsQuery = z.output<typeof SkipsQuery>

const RunsQuery = z.object({
  feed: FeedId.optional(),
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(20),
})
export type RunsQuery = z.output<typeof RunsQuery>

export const listSources = endpoint({
  path: '/api/data/sources',
  access: 'member',
  summary: 'Sources of vulnerabilities, by the name that people know',
  reply: z.object({
    sources: z.array(z.object({ id: z.string(), label: z.string(), lists_exploits: z.boolean() })),
  }),
})

export const listSkips = endpoint({
  path: '/api/data/sync/skips',
  access: 'admin',
  summary: 'Records that could not be read',
  query: SkipsQuery,
  reply: pageSchema(
    z.object({
      id: z.int(),
      feed: z.string(),
      record_id: z.string(),
      reason: z.string(),
      /** The first 20,000 characters of the record. */
      body: z.string(),
      at: z.string(),
    }),
  ),
})

export const listRuns = endpoint({
  path: '/api/data/sync/runs',
  access: 'admin',
  summary: 'The last runs of the feeds',
  query: RunsQuery,
  reply: z.object({ runs: z.array(Run) }),
})

// The specification's own triggers (S1, section 7); the topics of a feed tell which of them run it.
const triggering = { method: 'POST', alsoGet: true, access: 'admin', reply: Enqueued } as const
const trigger = <const Name extends string>(topic: Name, path: string, summary: string) => ({
  topic,
  contract: endpoint({ ...triggering, path, summary }),
})
export const syncTriggers = [
  trigger('cwes', '/api/kb/cwes/async', 'Read CWE, CAPEC and ATT&CK now'),
  trigger('cpes', '/api/kb/cpes/async', 'Read what names products by CPE now'),
  trigger('bulletins', '/api/kb/bulletins/async', 'Read bulletins now'),
  trigger('cves', '/api/kb/cves/async', 'Read CVE records now'),
  trigger('vias', '/api/kb/vias/async', 'Read exploits and threats now'),
  trigger('scores', '/api/vulns/refresh_scores', 'Derive every score anew'),
  trigger('versions', '/api/vulns/refresh_vulnerable_versions', 'Derive the affected versions anew'),
]
export type Topic = (typeof syncTriggers)[number]['topic']

export const firstSyncYear = 1999
const Year = z.object({ year: z.coerce.number<number | string>().int().min(firstSyncYear).max(2100) })
const yearTrigger = (path: string, summary: string) => endpoint({ ...triggering, path, summary, params: Year })

export const syncFromYear = yearTrigger('/api/kb/cves/async/from/:year', 'Read CVE records from a year on now')
export const syncYear = yearTrigger('/api/kb/cves/async/:year', 'Read CVE records of a year now')
/** Feeds cannot sync a single year; a whole sync is cheap when little changed. */
export const syncYearTriggers = [syncFromYear, syncYear]
