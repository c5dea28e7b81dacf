import * as z from 'zod'
import { endpoint } from '../http/endpoint'

/** In the order of a file: each record comes after those that it names. */
const recordKinds = [
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
  method: 'GET',
  path: '/api/transfer/export',
  cost: 50,
  access: 'orgAdmin',
  summary:
    'All that the organization watches, runs and decided, as one file for another installation: a record a line. Secrets, people, addresses and logs stay',
  reply: z.unknown(),
  produces: 'application/x-ndjson',
})
