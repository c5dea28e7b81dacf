/** What an organization says of its work on a vulnerability (specification 2, section 4); not a VEX status. */
export const vulnStatuses = ['undefined', 'fixed', 'not_interesting', 'in_progress'] as const
export type VulnStatus = (typeof vulnStatuses)[number]

/** What is still to be worked on, as a query. */
export const openQuery = 'NOT status:fixed NOT status:not_interesting NOT snoozed'
