import { joinFired } from './alert-judge'
import type { Fired, JudgedVuln, Threshold } from './alert-judge'
import { hasRule } from './alert-rules'
import type { VulnChange } from './change'
import { unwindChanges } from './past'

/** Of an organization, under any id of a vulnerability: the rules that fired, and changes that took from its advisories what they were. */
export type Heard = { fired: number[]; took: VulnChange[][] }

export const movedWords = 'An advisory that you knew is now part of it'

const none = { score: null, cvss: null, cvss3: null, is_kev: false, is_exploitable: false, is_malicious: false }
const flags = { malicious: 'is_malicious', kev: 'is_kev', exploitable: 'is_exploitable' } as const

/** For whoever knew its advisory: besides what changes trigger, all that is urgent about it and was not about the advisory. */
export function fireMoved(known: Fired, vuln: JudgedVuln, { fired, took }: Heard): Fired {
  const before = unwindChanges({ ...vuln, ...none }, took.flat())
  const risen = (field: Threshold) => {
    const [from, to] = [before[field] ?? -1, vuln[field]]
    // Where they became one before, its scores have been told.
    return took.length && to !== null && from < to ? from : null
  }
  const rules = (['malicious', 'kev', 'exploitable'] as const).filter(
    (rule) => vuln[flags[rule]] && !before[flags[rule]] && !fired.some((bits) => hasRule(bits, rule)),
  )
  return joinFired(known, { rules, from: { score: risen('score'), cvss: risen('cvss'), cvss3: risen('cvss3') } })
}
