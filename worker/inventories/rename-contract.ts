import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { InventoryName, NameParams } from './name'

export const renameInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/name',
  access: 'manageMetadata',
  beginsEarly: true,
  summary: 'Call an inventory something else; a document that is sent to the name before makes a new one',
  params: NameParams,
  body: z.object({ name: InventoryName }),
  reply: z.object({ name: z.string() }),
})
