import { openQuery } from '../../worker/domain/decisions/status'

/** `inbox` holds the id of the row that is shown, or this. */
export const noRow = 'on'

/** The inbox, or what of it fits further conditions. */
export const toInbox = (more = '') =>
  `/vulns?${new URLSearchParams({ monitored: 'true', q: `${openQuery} ${more}`.trim(), inbox: noRow })}`

export const inboxAddress = toInbox()
