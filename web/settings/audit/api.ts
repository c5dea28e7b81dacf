import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { listAudit } from '../../../worker/orgs/contract'
import type { AuditQuery } from '../../../worker/orgs/contract'
import { call } from '../../lib/call'

export const auditQuery = (query: z.output<typeof AuditQuery>) =>
  queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => call(listAudit, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get the audit log' },
  })
