import * as z from 'zod'
import { GroupLabel, watchedKinds } from '../domain/names/watch-item'
import { endpoint } from '../http/endpoint'
import { Id, Success } from '../http/fields'
import { maxItems } from './contract'

const PubliclyExposed = z.boolean('Must be true, false or null').nullable()

export const setExposed = endpoint({
  method: 'PUT',
  path: '/api/monitor/exposure',
  cost: 20,
  access: 'member',
  summary: 'Say whether the public reaches items or what has a label; null for not known. Due dates follow at once',
  body: z.discriminatedUnion('kind', [
    z.object({
      kind: z.enum(watchedKinds),
      ids: z.array(Id).min(1).max(maxItems),
      publicly_exposed: PubliclyExposed,
    }),
    z.object({ kind: z.literal('group'), label: GroupLabel, publicly_exposed: PubliclyExposed }),
  ]),
  reply: Success,
})

export const listExposedGroups = endpoint({
  path: '/api/monitor/exposure',
  access: 'member',
  summary: 'The groups of which the organization said whether the public reaches them',
  reply: z.array(z.object({ label: z.string(), publicly_exposed: z.boolean() })),
})
