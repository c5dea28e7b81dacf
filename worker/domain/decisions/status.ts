/** Status of an organization's work on a vulnerability (specification 2, section 4); not a VEX status. */
export const vulnStatuses = ['undefined', 'fixed', 'not_interesting', 'in_progress'] as const
export type VulnStatus = (typeof vulnStatuses)[number]

/** Open work, as a query. */
export const openQuery = 'NOT status:fixed NOT status:not_interesting NOT snoozed'
