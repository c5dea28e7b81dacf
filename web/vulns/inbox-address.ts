export const openQuery = 'NOT status:fixed NOT status:not_interesting NOT snoozed'

/** `inbox` holds the id of the row that is shown, or this. */
export const noRow = 'on'

export const inboxAddress = `/vulns?${new URLSearchParams({ monitored: 'true', q: openQuery, inbox: noRow })}`
