export const listDefaults = { limit: 20 }
/** Enough for some seconds of decisions. */
const inboxDefaults = { limit: 50, sorted_by: 'risk' as const }

/** `web/early.ts` repeats it. */
export const findDefaults = (params: URLSearchParams) => (params.has('inbox') ? inboxDefaults : listDefaults)
