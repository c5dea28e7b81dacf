import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Flag, Success } from '../http/fields'
import { NameParams } from './name'

export const setOwnProduct = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/own',
  access: 'member',
  beginsEarly: true,
  summary:
    'Say whether the organization makes and sells what an inventory lists: exploited vulnerabilities of it start a clock of the Cyber Resilience Act',
  params: NameParams,
  body: z.object({ is_own_product: Flag }),
  reply: Success,
})
