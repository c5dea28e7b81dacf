/** What an organization says of its work on a vulnerability (specification 2, section 4); not a VEX status. */
export const vulnStatuses = ['undefined', 'fixed', 'not_interesting', 'in_progress'] as const
export type VulnStatus = (typeof vulnStatuses)[number]
