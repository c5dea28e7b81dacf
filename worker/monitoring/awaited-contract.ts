import * as z from 'zod'
import { watchedKinds } from '../domain/names/watch-item'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { Success } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'

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
