import type { ClaimStanding } from '../names/catalogues'
import type { VulnState } from '../words/record'

/** Names of catalogues; `is_first`: before it, none called the vulnerability exploited. */
export type ClaimsChange = {
  field: 'exploited_by'
  added: string[]
  removed: string[]
  denied: string[]
  is_first?: true
}

/** Claims of catalogues on a vulnerability, by their names. */
type Claimed = { state: VulnState; claims: Map<string, ClaimStanding> }

const names = ({ claims }: Claimed, standing: ClaimStanding) =>
  [...claims].flatMap(([name, one]) => (one === standing ? name : []))
const lacking = (some: string[], others: string[]) => some.filter((name) => !others.includes(name))

/** New and withdrawn claims of catalogues. A withdrawal of the vulnerability itself takes none of them back; while it lasts there are none. */
export function compareClaims(before: Claimed, after: Claimed): ClaimsChange[] {
  if (after.state === 'rejected') return []
  const [old, now] = [names(before, 'exploited'), names(after, 'exploited')]
  const [added, removed] = [lacking(now, old), lacking(old, now)]
  const denied = lacking(names(after, 'denied'), names(before, 'denied'))
  if (!added.length && !removed.length && !denied.length) return []
  return [{ field: 'exploited_by', added, removed, denied, ...(!old.length && added.length && { is_first: true }) }]
}

export function describeClaims({ added, removed, denied, is_first }: ClaimsChange) {
  const say = (some: string[], words: string) => (some.length ? [`${words} ${some.join(', ')}`] : [])
  return [
    ...say(added, is_first ? 'First claim that it is exploited: by' : 'Also called exploited by'),
    ...say(removed, 'No longer called exploited by'),
    ...say(denied, 'Called not exploited by'),
  ].join('; ')
}

/** The claim of a further catalogue after the first is history. */
export const isLaterClaim = (change: ClaimsChange | { field: string; is_first?: never; removed?: unknown }) =>
  change.field === 'exploited_by' && !change.is_first && Array.isArray(change.removed) && !change.removed.length
