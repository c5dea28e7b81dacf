export const listDefaults = { limit: 20 }
const inboxDefaults = { ...listDefaults, sorted_by: 'risk' as const }

/** `web/early.ts` repeats it. */
export const findDefaults = (params: URLSearchParams) => (params.has('inbox') ? inboxDefaults : listDefaults)
