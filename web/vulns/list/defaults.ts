import { rememberedRows } from '../../lib/row-count'

const listDefaults = { limit: 10 }
/** Enough for some seconds of decisions. */
const inboxDefaults = { limit: 50, sorted_by: 'risk' as const }

/** `web/early.ts` repeats it. */
export function findDefaults(params: URLSearchParams) {
  const defaults = params.has('inbox') ? inboxDefaults : listDefaults
  return { ...defaults, limit: rememberedRows('vulnerabilities') ?? defaults.limit }
}
