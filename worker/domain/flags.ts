/** What is said of a vulnerability by yes or no. */
export const flags = ['is_exploitable', 'is_confirmed', 'is_in_the_news', 'is_in_the_wild'] as const
export type VulnFlag = (typeof flags)[number]

// By the letter of its decision CISA says "none" where it knows of no exploit, and "poc" where of one that nobody uses.
const deniedByCisa = new Map<string | undefined, VulnFlag[]>([
  ['N', ['is_exploitable', 'is_in_the_wild']],
  ['P', ['is_in_the_wild']],
])

/** The flags of which nobody knows: false, and denied by nobody; `ssvc` are the letters of CISA's decision. */
export function findUnknownFlags(vuln: Record<VulnFlag, boolean>, ssvc: string | null) {
  const denied = deniedByCisa.get(ssvc?.[0]) ?? []
  return flags.filter((flag) => !vuln[flag] && !denied.includes(flag))
}

type Flagged = Record<VulnFlag, boolean> & { unknown_flags: VulnFlag[] }

/** What a page says of a flag: a no needs somebody who said so. */
export const describeFlag = (vuln: Flagged, flag: VulnFlag) =>
  vuln[flag] ? 'Yes' : vuln.unknown_flags.includes(flag) ? 'Not known' : 'No'
