import type { ExploitationClaim, VulnRecord } from './record'

/** As its claims and changes name it. */
export const cisaKevName = 'CISA KEV'

/** Claim by CISA's marks of a vulnerability. */
export const kevClaim = ({
  added,
  due,
  ransomware,
  name,
  action,
}: NonNullable<VulnRecord['kev']>): ExploitationClaim => ({
  key: 'kev',
  by: 'cisa',
  name: cisaKevName,
  exploited: true,
  reason: 'confirmed',
  added,
  notes: [
    name || 'Known to be exploited',
    ransomware && 'used in ransomware campaigns',
    due && `US agencies must act by ${due}`,
    action && `what to do: ${action}`,
  ]
    .filter(Boolean)
    .join('; '),
  link: 'https://www.cisa.gov/known-exploited-vulnerabilities-catalog',
})
