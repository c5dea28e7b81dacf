import type { VulnQueryInput } from '../../../worker/vulns/contract'
import { rememberedRows } from '../../lib/row-count'

const first = { page: 1, limit: 10, sorted_by: '-updated_at' as const }
/** Enough for some seconds of decisions. */
const firstOfInbox = { ...first, limit: 50, sorted_by: 'risk' as const }

export function findDefaults(params: URLSearchParams) {
  const defaults = params.has('inbox') ? firstOfInbox : first
  return { ...defaults, limit: rememberedRows('vulnerabilities') ?? defaults.limit }
}

export const lookKey = 'EarshotListLook'

/** Asks for what a column needs beside the row. */
export const withComposite = (query: VulnQueryInput, shown: string[]): VulnQueryInput =>
  shown.includes('composite') ? { ...query, composite: true } : query
