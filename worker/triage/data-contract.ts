import * as z from 'zod'
import { ExploitRow, ThreatRow } from '../exploits/contract'
import { endpoint } from '../http/endpoint'
import { Tally, When } from '../http/fields'
import { pageLimit, PageNumber } from '../http/page'
import { VulnDetail } from '../vulns/detail/contract'

export const exportInfo = endpoint({
  path: '/api/data/export/info',
  access: 'admin',
  summary: 'How many vulnerabilities an export of all data holds, and from when to when they were updated',
  reply: z.object({ count: Tally, from: z.string().nullable(), to: z.string().nullable() }),
})

const maxExported = 200

export const ExportQuery = z.object({
  /** Updated at or after this time, and up to `to`. */
  since: When.optional(),
  to: When.optional(),
  page: PageNumber.default(1),
  limit: pageLimit(100, maxExported),
})
export type ExportQuery = z.output<typeof ExportQuery>

export const exportFull = endpoint({
  path: '/api/data/export/full',
  access: 'admin',
  cost: 20,
  summary: 'Public vulnerabilities with their exploits and threat activities, the longest unchanged first',
  query: ExportQuery,
  reply: z.array(z.object({ vulnerability: VulnDetail, exploits: z.array(ExploitRow), threats: z.array(ThreatRow) })),
})
