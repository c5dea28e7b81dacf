import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Success } from '../http/fields'
import { NameParams } from './name'

export const exposeInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/exposure',
  cost: 10,
  access: 'member',
  beginsEarly: true,
  summary: 'Say whether the public reaches what runs an inventory; null for not known. Due dates follow at once',
  params: NameParams,
  body: z.object({ publicly_exposed: z.boolean('Must be true, false or null').nullable() }),
  reply: Success,
})
