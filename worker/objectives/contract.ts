import * as z from 'zod'
import { endpoint } from '../http/endpoint'

/** Up to so many that wait are counted. */
export const maxWaiting = 1_000

/** Waiting work, in the order in which news passes through. */
export const waits = ['changes', 'verdicts', 'held_orgs', 'messages', 'retries', 'mails'] as const

const Job = z.object({
  name: z.string(),
  /** How often it should succeed, in seconds. */
  every_s: z.int(),
  last_success: z.string().nullable(),
  /** When it began to fail; null while it succeeds. */
  failed_at: z.string().nullable(),
  last_error: z.string().nullable(),
  is_late: z.boolean(),
})
export type ServiceJob = z.output<typeof Job>

const Waiting = z.object({
  name: z.enum(waits),
  /** At most `maxWaiting`. */
  count: z.int(),
  count_is_exact: z.boolean(),
  /** Since when the first of them waits; null where nothing waits, or nobody noted it. */
  since: z.string().nullable(),
})
export type ServiceWait = z.output<typeof Waiting>

/** Looks of one report. */
const maxLooks = 500

export const reportLooks = endpoint({
  method: 'POST',
  path: '/api/service/looks',
  access: 'public',
  max_bytes: 65_536,
  summary: 'Report whether the service answered when a probe elsewhere looked, with PROBE_TOKEN of this installation',
  body: z.object({
    token: z.string().max(200),
    looks: z
      .array(z.object({ at: z.iso.datetime(), is_ok: z.boolean() }))
      .min(1)
      .max(maxLooks),
  }),
  /** Looks of the last three days are taken. */
  reply: z.object({ taken: z.int() }),
})

const WorkDay = z.object({
  day: z.string(),
  requests: z.int(),
  /** Answered with 500 or more, and jobs and messages that failed. */
  errors: z.int(),
  rows_read: z.int(),
  rows_written: z.int(),
  /** US dollars before what the plan includes, without CPU. */
  price: z.number(),
})
export type WorkDay = z.output<typeof WorkDay>

const DeadMessage = z.object({ id: z.int(), queue: z.string(), body: z.string(), at: z.string() })
export type DeadMessage = z.output<typeof DeadMessage>

export const getService = endpoint({
  path: '/api/service',
  access: 'admin',
  summary: 'Health of the service: late and waiting work, the jobs of the clock, messages given up',
  reply: z.object({
    /** Jobs that are late, and `alerts` where anybody’s are; as `/readyz` says. */
    late: z.array(z.string()),
    waiting: z.array(Waiting),
    jobs: z.array(Job),
    /** The newest messages of queues that were given up after all tries. Their work is driven again from its row, that of `earshot-jobs` in the next night. */
    dead: z.array(DeadMessage),
    /** 95 of 100 alerts of the last day that was measured left sooner. */
    alerts_p95: z.object({ day: z.string(), seconds: z.int() }).nullable(),
    /** Of the last days, newest first. The last minute of an isolate that ended stands in none. */
    work: z.array(WorkDay),
    /** Null where the database does not tell. */
    database_bytes: z.int().nullable(),
    orgs: z.object({ active: z.int(), on_trial: z.int(), expired: z.int(), off: z.int() }),
  }),
})
