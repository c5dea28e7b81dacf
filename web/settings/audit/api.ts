import type { z } from 'zod'
import { listAudit } from '../../../worker/orgs/contract'
import type { AuditQuery } from '../../../worker/orgs/contract'
import { askPage } from '../../lib/ask'

export const auditQuery = (query: z.output<typeof AuditQuery>) =>
  askPage(['audit', query], listAudit, { query }, 'Unable to get the audit log')
