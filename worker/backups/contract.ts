import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Id, Success, Tally, When } from '../http/fields'

export const listBackups = endpoint({
  path: '/api/backups/',
  access: 'admin',
  summary: 'The organizations of which there is a backup',
  reply: z.object({ org_ids: z.array(z.int()) }),
})

export const restoreBackup = endpoint({
  method: 'POST',
  path: '/api/backups/:org_id/restore',
  access: 'admin',
  asksFirst: true,
  summary:
    'Bring back the missing rows of an organization, from its last backup before a time; needs a fresh proof. Existing rows stay. In a new database vulnerabilities, products and people are found by their names: `missing` are some that are not here yet, `left_out` counts rows that wait for them, and `behind` names feeds that were read further then: ask again once they have been read',
  params: z.object({ org_id: Id }),
  body: z.object({ at: When }),
  reply: Success.extend({
    at: z.string(),
    restored: z.int(),
    left_out: Tally,
    missing: z.array(z.string()),
    behind: z.array(z.string()),
  }),
})
