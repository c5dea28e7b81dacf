import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { InventoryName } from './name'

export const exportFindings = endpoint({
  method: 'GET',
  path: '/api/inventories/:name/export/:format',
  cost: 10,
  access: 'member',
  summary: 'All findings of an inventory as a file, a row for each finding or for each vulnerability',
  params: z.object({ name: InventoryName, format: z.enum(['csv', 'json']) }),
  query: z.object({ by: z.enum(['finding', 'vulnerability']).default('finding') }),
  produces: 'text/csv',
  reply: z.unknown(),
})
