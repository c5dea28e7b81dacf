import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Success, Tally } from '../http/fields'

/** In the order of a file: each record comes after those that it names. */
export const recordKinds = [
  'own_vulnerability',
  'inventory',
  'watch',
  'group',
  'decision',
  'comment',
  'exploit',
  'threat',
  'view',
  'rules',
  'settings',
] as const
export type RecordKind = (typeof recordKinds)[number]

export const exportOrg = endpoint({
  // The log tells of it.
  method: 'POST',
  path: '/api/transfer/export',
  cost: 50,
  access: 'orgAdmin',
  // Their data are theirs, also after a trial.
  isOwnAccount: true,
  summary:
    'All that the organization watches, runs and decided, as one file for another installation: a record a line. Secrets, people, addresses and logs stay',
  reply: z.unknown(),
  produces: 'application/x-ndjson',
})
/** The first records that were left out are named; the number tells of all. */
export const maxLeftOut = 200

export const TransferReply = Success.extend({
  /** The line to go on with; null after the last. */
  next: z.int().nullable(),
  results: z.array(z.object({ kind: z.enum(recordKinds), added: Tally, already: Tally, left_out: Tally })),
  left_out: z.array(z.object({ line: z.int(), kind: z.string(), name: z.string(), reason: z.string() })),
  left_out_count: Tally,
})
export type TransferReply = z.output<typeof TransferReply>

export const importOrg = endpoint({
  method: 'POST',
  path: '/api/transfer/import',
  cost: 5,
  access: 'orgAdmin',
  summary:
    'Add what a file of an export has and the organization has not, some hundred records a call, perhaps packed by gzip; needs a fresh proof. Its settings and alert rules replace those here',
  query: z.object({ from: z.coerce.number<number | string>().int().min(2).default(2) }),
  file: true,
  reply: TransferReply,
})
