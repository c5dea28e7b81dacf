import type { Fired, JudgedVuln, Threshold } from './alert-judge'
import { alertRules, hasRule, type AlertRule } from './alert-rules'
import type { JoinedAdvisory } from './change'

/**
 * Of an organization: rules that fired under any id of a vulnerability, and the advisories that it knew, `is_now` where these changes
 * took them in. Told of none (`is_heard`), it knew one of them, and nobody knows which.
 */
export type Heard = { fired: number[]; joined: (JoinedAdvisory & { is_now: 0 | 1; is_heard: 0 | 1 })[] }

export const movedWords = 'An advisory that you knew is now part of it'

const flags = new Map<
  AlertRule,
  ['is_malicious' | 'is_kev' | 'is_exploitable', 'is_malicious' | 'is_exploited' | 'is_exploitable']
>([
  ['malicious', ['is_malicious', 'is_malicious']],
  ['kev', ['is_kev', 'is_exploited']],
  ['exploitable', ['is_exploitable', 'is_exploitable']],
])

/** For whoever knew its advisory: of what changes trigger, and of all that is urgent about it, what was not so of the advisory. */
export function fireMoved(known: Fired, vuln: JudgedVuln, { fired, joined }: Heard): Fired {
  const taken = joined.filter(({ is_now }) => is_now)
  const risen = (field: Threshold) => {
    const [from, to] = [Math.max(...taken.map((advisory) => advisory[field] ?? -1)), vuln[field]]
    return to !== null && from < to ? from : null
  }
  const isFired = (rule: AlertRule) => {
    const [flag, before] = flags.get(rule) ?? []
    if (!flag || !before) return known.rules.includes(rule)
    const wasSo = joined.some(({ is_heard }) => is_heard)
      ? joined.some((advisory) => advisory[before])
      : joined.length > 0 && joined.every((advisory) => advisory[before])
    return (vuln[flag] || known.rules.includes(rule)) && !wasSo && !fired.some((bits) => hasRule(bits, rule))
  }
  // Where they became one before, its scores have been told.
  const from = taken.length ? { score: risen('score'), cvss: risen('cvss'), cvss3: risen('cvss3') } : known.from
  return { rules: alertRules.filter(isFired), from }
}
