export const flags = ['is_exploitable', 'is_confirmed', 'is_in_the_news', 'is_in_the_wild'] as const
export type VulnFlag = (typeof flags)[number]

// CISA's decision: N (none) denies any exploit, P (poc) denies only that anybody uses one.
const deniedByCisa = new Map<string | undefined, VulnFlag[]>([
  ['N', ['is_exploitable', 'is_in_the_wild']],
  ['P', ['is_in_the_wild']],
])

/** The flags that are false although no source denies them; `ssvc` holds the letters of CISA's decision. */
export function findUnknownFlags(vuln: Record<VulnFlag, boolean>, ssvc: string | null) {
  const denied = deniedByCisa.get(ssvc?.[0]) ?? []
  return flags.filter((flag) => !vuln[flag] && !denied.includes(flag))
}

type Flagged = Record<VulnFlag, boolean> & { unknown_flags: VulnFlag[] }

/** "No" only where a source says no. */
export const describeFlag = (vuln: Flagged, flag: VulnFlag) =>
  vuln[flag] ? 'Yes' : vuln.unknown_flags.includes(flag) ? 'Not known' : 'No'

/** Such as 'known (3 referenced)'; a catalogue may call it exploited without naming an exploit. */
export const describeKnownExploits = (referenced: number) => (referenced ? `known (${referenced} referenced)` : 'known')
