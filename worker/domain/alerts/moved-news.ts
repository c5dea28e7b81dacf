import type { Fired, JudgedVuln, Threshold } from './alert-judge'
import { alertRules, hasRule } from './alert-rules'
import type { AlertRule } from './alert-rules'
import type { VulnChange } from './change'
import { unwindChanges } from './past'

/**
 * Of an organization: rules that fired under any id of a vulnerability, changes that took from the advisories that it knew what they were,
 * and whether a catalogue called one of these exploited.
 */
export type Heard = { fired: number[]; took: VulnChange[][]; is_claimed: 0 | 1 }

export const movedWords = 'An advisory that you knew is now part of it'

const none = { score: null, cvss: null, cvss3: null, is_kev: false, is_exploitable: false, is_malicious: false }
const flags = new Map<AlertRule, 'is_malicious' | 'is_kev' | 'is_exploitable'>([
  ['malicious', 'is_malicious'],
  ['kev', 'is_kev'],
  ['exploitable', 'is_exploitable'],
])

/** For whoever knew its advisory: of what changes trigger, and of all that is urgent about it, what was not so of the advisory. */
export function fireMoved(known: Fired, vuln: JudgedVuln, { fired, took, is_claimed }: Heard): Fired {
  const advisories = took.map((changes) => unwindChanges({ ...vuln, ...none }, changes))
  const risen = (field: Threshold) => {
    const [from, to] = [Math.max(...advisories.map((one) => one[field] ?? -1)), vuln[field]]
    return to !== null && from < to ? from : null
  }
  const isFired = (rule: AlertRule) => {
    const flag = flags.get(rule)
    if (!flag) return known.rules.includes(rule)
    const wasSo = advisories.some((one) => one[flag]) || (rule === 'kev' && is_claimed === 1)
    return (vuln[flag] || known.rules.includes(rule)) && !wasSo && !fired.some((bits) => hasRule(bits, rule))
  }
  // Where they became one before, its scores have been told.
  const from = took.length ? { score: risen('score'), cvss: risen('cvss'), cvss3: risen('cvss3') } : known.from
  return { rules: alertRules.filter(isFired), from }
}
