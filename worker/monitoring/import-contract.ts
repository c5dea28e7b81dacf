import * as z from 'zod'
import { watchedKinds } from '../domain/names/watch-item'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, Success } from '../http/fields'
import { isTooDense } from '../http/json'
import { pageQuery, pageSchema } from '../http/page'

export const exportKinds = ['vendors', 'products', 'packages', 'vulns', 'all'] as const
export type ExportKind = (typeof exportKinds)[number]
export const ListFormat = z.object({ format: z.enum(['csv', 'json']).default('csv') })
export type ListFormat = z.output<typeof ListFormat>

export const exportMonitored = endpoint({
  path: '/api/monitor/export/:kind',
  cost: 10,
  access: 'member',
  summary: 'Monitored items, as a list that the import reads back',
  params: z.object({ kind: z.enum(exportKinds) }),
  query: ListFormat,
  reply: z.unknown(),
  produces: ['text/csv', 'application/json'],
})

/** add: the lines join the list. remove: they leave it. sync: of the kinds that it names, the list becomes what it says. */
const importModes = ['add', 'remove', 'sync'] as const
export type ImportMode = (typeof importModes)[number]

const Fixes = z.array(
  z.object({ line: z.int().min(2), value: z.string().max(500).optional(), skip: z.boolean().optional() }),
)

/** A form carries them as JSON. */
const FixesField = z.preprocess((value) => {
  if (typeof value !== 'string') return value
  if (isTooDense(value)) return null
  try {
    return JSON.parse(value) as unknown
  } catch {
    return null
  }
}, Fixes.max(10_000).default([]))

export const ImportForm = z.object({
  /** CSV in UTF-8, or XLSX. */
  file: z.union([z.instanceof(File), z.string().min(1)], { error: 'A file in CSV or XLSX is required' }),
  mode: z.enum(importModes).default('add'),
  /** Says what would happen, and writes nothing. */
  dry_run: Flag.default(false),
  /** Choices for lines that name nothing known: another value, or to leave them out. */
  fixes: FixesField,
})
export type ImportForm = z.output<typeof ImportForm>

const UnknownLine = z.object({
  line: z.int(),
  type: z.string(),
  value: z.string(),
  reason: z.string(),
  /** It is watched as soon as the knowledge base names it. */
  awaited: z.boolean(),
  nearest: z.array(z.string()),
})
export type UnknownLine = z.output<typeof UnknownLine>

export const ImportReply = Success.extend({
  dry_run: z.boolean(),
  added: Tally,
  changed: Tally,
  already: Tally,
  removed: Tally,
  awaited: Tally,
  unknown: z.array(UnknownLine),
  /** The first lines that could be read, and what happens to each. */
  lines: z.array(
    z.object({
      line: z.int(),
      type: z.enum(watchedKinds),
      value: z.string(),
      action: z.enum(['add', 'change', 'already', 'remove', 'await', 'absent']),
    }),
  ),
  /** The first lines that name what an earlier line names: that one counts, and these do nothing. */
  repeated: z.array(z.object({ line: z.int(), type: z.enum(watchedKinds), value: z.string(), first: z.int() })),
  /** The first of what `sync` removes because no line names it. */
  unlisted: z.array(z.object({ type: z.enum(watchedKinds), value: z.string() })),
  /** So many items still wait to be matched with their vulnerabilities, or versions to be compared. */
  pending_count: z.int(),
})
export type ImportReply = z.output<typeof ImportReply>

export const importMonitored = endpoint({
  method: 'POST',
  path: '/api/monitor/import',
  max_bytes: 5_000_000,
  cost: 20,
  access: 'member',
  summary: 'Monitor what a list names, at most 10,000 lines; all of it or nothing',
  body: ImportForm,
  reply: ImportReply,
})

export const RemovedList = z.object({
  key: z.string(),
  /** How many lines it has: items, and what products say beside their vendors. */
  count: Tally,
  removed_at: z.string(),
  /** Null for somebody who is gone. */
  removed_by: z.string().nullable(),
  /** When it can no longer be taken back. */
  ends_at: z.string(),
})
export type RemovedList = z.output<typeof RemovedList>

export const listRemovedLists = endpoint({
  path: '/api/monitor/removed',
  access: 'member',
  summary: 'Items that left the watchlist at once in the last 30 days, and can be monitored again',
  reply: z.array(RemovedList),
})

export const restoreRemovedList = endpoint({
  method: 'POST',
  path: '/api/monitor/removed/:key/restore',
  cost: 20,
  access: 'manageMetadata',
  summary: 'Monitor again what left the watchlist at once, with its groups and versions',
  params: z.object({ key: z.uuid('Must be the key of a removed list') }),
  body: z.object({}),
  reply: Success.extend({ added: Tally, changed: Tally, already: Tally, awaited: Tally, pending_count: z.int() }),
})

const AwaitedName = z.object({
  kind: z.enum(watchedKinds),
  value: z.string(),
  groups: z.array(z.string()),
  versions: z.array(z.string()),
  created_at: z.string(),
})
export type AwaitedName = z.output<typeof AwaitedName>

export const listAwaited = endpoint({
  path: '/api/monitor/awaited',
  access: 'member',
  summary: 'Names that are watched as soon as the knowledge base knows them',
  query: pageQuery(['value'], 'value'),
  reply: pageSchema(AwaitedName),
})

export const forgetAwaited = endpoint({
  method: 'POST',
  path: '/api/monitor/awaited/remove',
  access: 'member',
  summary: 'Wait for a name no more',
  body: z.object({ kind: z.enum(watchedKinds), value: NameText.min(1).max(500) }),
  reply: Success,
})
