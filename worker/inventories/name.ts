import { z } from 'zod'
import { LineText } from '../domain/name'

const maxName = 100
export const InventoryName = LineText.min(1)
  .max(maxName)
  .regex(/^[^/\\]+$/, 'Must not hold a slash')
export const NameParams = z.object({ name: InventoryName })
