import * as z from 'zod'
import { RouteName } from '../../domain/alerts/alert-rules'
import { endpoint } from '../../http/endpoint'

/** Each change that concerns an organization has exactly one. */
export const outcomes = ['delivered', 'held', 'suppressed', 'failed', 'waiting', 'lost', 'unsure'] as const
export type Outcome = (typeof outcomes)[number]

/** Why nothing is said of a change by the rules of its time: facts of that time that are not known any more. */
export const doubts = ['filters', 'epss', 'rules', 'decisions', 'values', 'model'] as const
export type Doubt = (typeof doubts)[number]

/** A whole day of the change log is read for each. */
const maxCheckedDays = 7

export const MessageCounts = z.record(z.string(), z.int())

const Difference = z.object({
  vuln_id: z.int(),
  change: z.int(),
  problem: z.enum(['lost', 'doubled', 'unasked']),
  /** Channels of the messages; empty when the whole alert is missing or was planned twice. */
  channels: z.array(RouteName).default([]),
})

export const DayProof = z.object({
  /** In UTC. */
  day: z.string(),
  /** Changes that are news, and minor ones that an alert covers, counted once for each organization that monitored what they are of. */
  matched: z.int(),
  delivered: z.int(),
  /** Told in a report, or left for the next one. */
  held: z.int(),
  /** Not told, for a reason that the ledger names. */
  suppressed: z.int(),
  failed: z.int(),
  waiting: z.int(),
  /** Should have been told, and nothing stands of it, or of where it should have gone. */
  lost: z.int(),
  /** Not planned, and the watchlist does not tell whether it should have been: versions were told since, it was monitored in that very second, or the organization was enabled. */
  unsure: z.int(),
  /** Planned twice, or told twice to one receiver. */
  doubled: z.int(),
  /** Told though the rules or decisions as they stood leave it out. */
  unasked: z.int().default(0),
  /**
   * So many of `matched` were judged again by the rules, decisions and values as they stood when they were planned: nothing else is said of the
   * others, which `unjudged` counts, or which are missing, not planned yet, or more than a night judges.
   */
  by_rules: z.int().default(0),
  /** Minor changes of a score or an EPSS that no alert covers, and how many of them were judged: by the rules of then nobody was to be told of them. */
  minor: z.int().default(0),
  minor_by_rules: z.int().default(0),
  /** So many of `matched` are first documents of inventories, each told as one: their messages are counted, and no rules judge them again. */
  documents: z.int().default(0),
  /**
   * How many of both were not judged, by what is not known of then: `filters` (groups, inventories, views and versions), `epss`, `rules` (or where a
   * channel led to), `decisions`, `values` of the vulnerability, or all scores, as EPSS has a new `model`.
   */
  unjudged: z.partialRecord(z.enum(doubts), z.int()).default({}),
  /** Messages that were taken, by channel, of the alerts of the day. */
  messages: MessageCounts,
  differences: z.array(Difference),
})
export type DayProof = z.output<typeof DayProof>

export const SealCheck = z.object({
  /** Days whose ledger was read again. */
  checked: z.int(),
  /** Parts of a day that are not as they were sealed: its changes, alerts, messages or proof, or its link to the day before. */
  broken: z.array(z.object({ day: z.string(), what: z.enum(['changes', 'alerts', 'messages', 'proof', 'chain']) })),
  /** The newest of these seals; the mails of reports name the newest of all. */
  last: z.object({ day: z.string(), hash: z.string() }).nullable(),
  /** Ask for what was sealed before this day next; null at the beginning of the chain. */
  next: z.string().nullable(),
})
export type SealCheck = z.output<typeof SealCheck>

export const checkProofs = endpoint({
  path: '/api/alerts/proof/check',
  access: 'member',
  summary: 'Read the sealed ledger of some days again, and say what was deleted, altered, added or moved since',
  cost: 5,
  query: z.object({
    /** The newest days by default. */
    before: z.iso.date().optional(),
    days: z.coerce.number<number | string>().int().min(1).max(maxCheckedDays).default(maxCheckedDays),
  }),
  reply: SealCheck,
})

export const listProofs = endpoint({
  path: '/api/alerts/proof/',
  access: 'member',
  summary:
    'Of each of the last days whether every change that concerned the organization was told once, recounted without the outbox',
  cost: 5,
  reply: z.object({
    /** When the days before this one were recounted last; null before the first time. */
    proved_at: z.string().nullable(),
    /** So far; counted now. */
    today: DayProof,
    /** Newest first; a day on which nothing concerned the organization has none. */
    days: z.array(DayProof),
  }),
})

const download = <Reply extends z.ZodType>(format: 'csv' | 'json', produces: string, reply: Reply) =>
  endpoint({
    path: `/api/alerts/proof/export/${format}`,
    access: 'orgAdmin',
    summary: `Download the daily proofs of the last thirteen months (${format.toUpperCase()})`,
    cost: 10,
    reply,
    produces,
  })
export const exportProofsCsv = download('csv', 'text/csv', z.never())
export const exportProofsJson = download('json', 'application/json', z.array(DayProof))
