import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Flag, Success } from '../http/fields'
import { NameParams, InventoryName } from './name'

export const setOwnProduct = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/own',
  access: 'member',
  summary:
    'Say whether the organization makes and sells what an inventory lists: exploited vulnerabilities of it start a clock of the Cyber Resilience Act',
  params: NameParams,
  body: z.object({ is_own_product: Flag }),
  reply: Success,
})

export const renameInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/name',
  access: 'manageMetadata',
  summary: 'Call an inventory something else; a document that is sent to the name before makes a new one',
  params: NameParams,
  body: z.object({ name: InventoryName }),
  reply: z.object({ name: z.string() }),
})

export const exposeInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/exposure',
  cost: 10,
  access: 'member',
  summary: 'Say whether the public reaches what runs an inventory; null for not known. Due dates follow at once',
  params: NameParams,
  body: z.object({ publicly_exposed: z.boolean('Must be true, false or null').nullable() }),
  reply: Success,
})
