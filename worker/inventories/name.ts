import * as z from 'zod'
import { NameText } from '../domain/people/name'

const maxName = 100
export const InventoryName = NameText.min(1)
  .max(maxName)
  .regex(/^[^/\\]+$/, 'Must not hold a slash')
export const NameParams = z.object({ name: InventoryName })
