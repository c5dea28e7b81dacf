const cvssVersions = ['2.0', '3.0', '3.1', '4.0'] as const
export const accessAuthentications = ['NONE', 'SINGLE', 'MULTIPLE'] as const
export const accessComplexities = ['LOW', 'MEDIUM', 'HIGH'] as const
export const accessVectors = ['LOCAL', 'ADJACENT_NETWORK', 'NETWORK'] as const
export const impactLevels = ['NONE', 'PARTIAL', 'COMPLETE'] as const

export type CvssVersion = (typeof cvssVersions)[number]
export type Severity = 'Low' | 'Medium' | 'High' | 'Critical' | 'None' | 'Unknown'
type CvssBand = 'darkred' | 'red' | 'orange' | 'yellow'

export type CvssVector = { version: CvssVersion; metrics: Record<string, string> }
type ExplainedMetric = { metric: string; name: string; value: string; meaning: string }

type Metrics = Readonly<Record<string, string>>
type BaseMetrics = Readonly<Record<string, { name: string; meanings: Readonly<Record<string, string>> }>>

const vectorPattern = /^(?:CVSS:(\d\.\d)\/)?\(?([A-Za-z]+:[A-Za-z]+(?:\/[A-Za-z]+:[A-Za-z]+)*)\/?\)?$/

const v2Impact = { N: 'None', P: 'Part of it is lost', C: 'All of it is lost' }
const v2Metrics: BaseMetrics = {
  AV: { name: 'Access vector', meanings: { L: 'On the machine', A: 'From the local network', N: 'Over any network' } },
  AC: {
    name: 'Access complexity',
    meanings: { H: 'Rare conditions needed', M: 'Some conditions needed', L: 'Works as is' },
  },
  Au: { name: 'Authentication', meanings: { M: 'Two logins or more', S: 'One login', N: 'No login' } },
  C: { name: 'Confidentiality impact', meanings: v2Impact },
  I: { name: 'Integrity impact', meanings: v2Impact },
  A: { name: 'Availability impact', meanings: v2Impact },
}

const reach = {
  N: 'Over any network',
  A: 'From the local network',
  L: 'On the machine, or through its user',
  P: 'With the device in hand',
}
const privileges = { N: 'No account', L: 'An ordinary account', H: 'An administrator account' }
const impact = { H: 'Total or serious loss', L: 'Limited loss', N: 'None' }

const v3Metrics: BaseMetrics = {
  AV: { name: 'Attack vector', meanings: reach },
  AC: { name: 'Attack complexity', meanings: { L: 'Works every time', H: 'Needs conditions beyond control' } },
  PR: { name: 'Privileges required', meanings: privileges },
  UI: { name: 'User interaction', meanings: { N: 'No other person needed', R: 'Somebody has to take part' } },
  S: { name: 'Scope', meanings: { U: 'Stays in the component', C: 'Reaches other components' } },
  C: { name: 'Confidentiality impact', meanings: impact },
  I: { name: 'Integrity impact', meanings: impact },
  A: { name: 'Availability impact', meanings: impact },
}

const v4Metrics: BaseMetrics = {
  AV: { name: 'Attack vector', meanings: reach },
  AC: { name: 'Attack complexity', meanings: { L: 'No defence to get around', H: 'Defences to get around' } },
  AT: { name: 'Attack requirements', meanings: { N: 'Works in any deployment', P: 'Only in some deployments' } },
  PR: { name: 'Privileges required', meanings: privileges },
  UI: {
    name: 'User interaction',
    meanings: {
      N: 'No other person needed',
      P: 'Somebody using it as usual',
      A: 'Somebody doing what the attacker wants',
    },
  },
  VC: { name: 'Confidentiality of the vulnerable system', meanings: impact },
  VI: { name: 'Integrity of the vulnerable system', meanings: impact },
  VA: { name: 'Availability of the vulnerable system', meanings: impact },
  SC: { name: 'Confidentiality of other systems', meanings: impact },
  SI: { name: 'Integrity of other systems', meanings: impact },
  SA: { name: 'Availability of other systems', meanings: impact },
}

const baseMetrics = { '2.0': v2Metrics, '3.0': v3Metrics, '3.1': v3Metrics, '4.0': v4Metrics }

const v2Names = ['AV', 'AC', 'Au', 'C', 'I', 'A']
const v2Reach: Metrics = { N: 'N', A: 'A', L: 'L', P: 'L' }
const v2Authentication: Metrics = { N: 'N', L: 'S', H: 'M' }
const v2Loss: Metrics = { N: 'N', L: 'P', H: 'C' }

/** Of the words of specification 2 each begins with its letter of CVSS v2. */
const findWord = <Word extends string>(words: readonly Word[], letter: string | undefined) =>
  words.find((word) => word.charAt(0) === letter) ?? null

/**
 * Reads a vector: `CVSS:3.0/`, `CVSS:3.1/` or `CVSS:4.0/` in front, v2 with none (or `CVSS:2.0/`) and perhaps in parentheses. Metrics
 * that are not defined (X; ND in v2) are left out; only base values are checked. Null when a metric repeats, or a base metric is
 * missing or has an unknown value. Source: FIRST, CVSS v2 guide section 2.4; v3.0 and v3.1 section 6, v4.0 section 7 (vector string).
 */
export function parseVector(vector: string): CvssVector | null {
  const [, prefix, body] = vectorPattern.exec(vector.trim()) ?? []
  const version = cvssVersions.find((known) => known === (prefix ?? '2.0'))
  if (!body || !version) return null

  const metrics = new Map<string, string>()
  for (const part of body.split('/')) {
    const [metric = '', value = ''] = part.split(':')
    if (metrics.has(metric)) return null
    metrics.set(metric, value)
  }
  for (const [metric, value] of metrics) {
    if (value === 'X' || (value === 'ND' && version === '2.0')) metrics.delete(metric)
  }

  const isComplete = Object.entries(baseMetrics[version]).every(([metric, { meanings }]) =>
    Object.hasOwn(meanings, metrics.get(metric) ?? ''),
  )
  return isComplete ? { version, metrics: Object.fromEntries(metrics) } : null
}

/** Why `parseVector` refuses a vector: the token that is wrong, or the base metric that is missing; null when it does not. */
export function vectorProblem(vector: string): string | null {
  if (parseVector(vector)) return null
  const [front = '', named = '2.0'] = /^CVSS:([^/]*)\/?/.exec(vector.trim()) ?? []
  const version = cvssVersions.find((known) => known === named)
  if (!version) return `CVSS:${named.slice(0, 20)} is wrong`

  const usedMetrics = new Set<string>()
  const bare = vector
    .trim()
    .slice(front.length)
    .replace(/^\(|\)$/g, '')
  const body = bare.replace(/\/$/, '')
  for (const token of body ? body.split('/') : []) {
    const [metric = '', value = ''] = token.split(':')
    const meanings = Object.entries(baseMetrics[version]).find(([name]) => name === metric)?.[1].meanings ?? {
      [value]: '',
    }
    if (!/^[A-Za-z]+:[A-Za-z]+$/.test(token) || !Object.hasOwn(meanings, value))
      return `${token.slice(0, 20) || '//'} is wrong`
    if (usedMetrics.has(metric)) return `${metric} is given twice`
    usedMetrics.add(metric)
  }
  return `${Object.keys(baseMetrics[version]).find((metric) => !usedMetrics.has(metric))} is missing`
}

/**
 * The qualitative band of a base score 0-10; 'Unknown' when there is none or it is out of range.
 * Source: v2 NVD's bands, which know neither None nor Critical; v3 FIRST, CVSS v3.1 section 5; v4 CVSS v4.0 section 6.
 */
export function severity(version: 2 | 3 | 4, score: number | null): Severity {
  if (score === null || !(score >= 0 && score <= 10)) return 'Unknown'
  if (score === 0 && version !== 2) return 'None'
  if (score >= 9 && version !== 2) return 'Critical'
  if (score >= 7) return 'High'
  return score >= 4 ? 'Medium' : 'Low'
}

/** The colour of a CVSS score 0-10 of any version; null below 0.1 or without one (specification 1, section 9). */
export function cvssBand(score: number | null): CvssBand | null {
  if (score === null) return null
  if (score >= 9) return 'darkred'
  if (score >= 7) return 'red'
  if (score >= 4) return 'orange'
  return score >= 0.1 ? 'yellow' : null
}

/**
 * The base metrics of any vector as one of CVSS v2, `AV:N/AC:L/Au:N/C:P/I:P/A:P`, in this order; null when `parseVector` fails. v3
 * and v4 are mapped: AV P to L, PR as Au (N to N, L to S, H to M), impacts L to P and H to C; v4 takes VC, VI, VA. Source: DESIGN.md,
 * section 5.2, with P for its L, which is no v2 letter; the rating reads both.
 */
export function v2Letters(vector: string) {
  const metrics = v2BaseMetrics(vector)
  return metrics && v2Names.map((name) => `${name}:${metrics[name]}`).join('/')
}

/** The letters of `v2Letters` alone, how it is reached and what it harms: `NLN` and `PPP`; null when `parseVector` fails. */
export function baseLetters(vector: string | null) {
  const metrics = v2BaseMetrics(vector)
  if (!metrics) return { access: null, impact: null }
  const letters = v2Names.map((name) => metrics[name]).join('')
  return { access: letters.slice(0, 3), impact: letters.slice(3) }
}

/** How a vulnerability is reached, in the enumerations of specification 2, section 9; null where no vector says so. */
export function parseAccess(vector: string | null) {
  const metrics = v2BaseMetrics(vector)
  return {
    authentication: findWord(accessAuthentications, metrics?.Au),
    complexity: findWord(accessComplexities, metrics?.AC),
    vector: findWord(accessVectors, metrics?.AV),
  }
}

/** Impact of a vulnerability, in the enumerations of specification 2, section 9; null where no vector says so. */
export function parseImpact(vector: string | null) {
  const metrics = v2BaseMetrics(vector)
  return {
    confidentiality: findWord(impactLevels, metrics?.C),
    integrity: findWord(impactLevels, metrics?.I),
    availability: findWord(impactLevels, metrics?.A),
  }
}

export type V2Words = {
  access_vector: (typeof accessVectors)[number]
  access_complexity: (typeof accessComplexities)[number]
  access_authentication: (typeof accessAuthentications)[number]
} & Record<'impact_confidentiality' | 'impact_integrity' | 'impact_availability', (typeof impactLevels)[number]>

/** The words of a vector as a form has them; where it says nothing, those of a form that nobody filled. */
export function toV2Words(cvss_vector: string | null): V2Words {
  const [access, harm] = [parseAccess(cvss_vector), parseImpact(cvss_vector)]
  return {
    access_vector: access.vector ?? 'LOCAL',
    access_complexity: access.complexity ?? 'LOW',
    access_authentication: access.authentication ?? 'NONE',
    impact_confidentiality: harm.confidentiality ?? 'NONE',
    impact_integrity: harm.integrity ?? 'NONE',
    impact_availability: harm.availability ?? 'NONE',
  }
}

/**
 * The CVSS v2 base vector of the words of specification 2, section 9: `parseAccess` and `parseImpact` read it back.
 * Null where nothing is harmed, as in a form that nobody filled.
 */
export function writeV2Vector(words: V2Words): string | null {
  const harm = [words.impact_confidentiality, words.impact_integrity, words.impact_availability]
  if (harm.every((level) => level === 'NONE')) return null
  const inOrder = [words.access_vector, words.access_complexity, words.access_authentication, ...harm]
  return v2Names.map((name, at) => `${name}:${inOrder[at]?.charAt(0)}`).join('/')
}

/** The base metrics of a vector in our own words, in the order of the standard; empty when `parseVector` fails. */
export function explainVector(vector: string): ExplainedMetric[] {
  const parsed = parseVector(vector)
  if (!parsed) return []

  return Object.entries(baseMetrics[parsed.version]).map(([metric, { name, meanings }]) => {
    const value = parsed.metrics[metric] ?? ''
    return { metric, name, value, meaning: meanings[value] ?? value }
  })
}

/** Most vulnerabilities share a few hundred vectors; the limit keeps invented ones from filling the memory. */
const maxRead = 5_000
const read = new Map<string, Metrics | null>()

function v2BaseMetrics(vector: string | null): Metrics | null {
  if (!vector) return null
  const known = read.get(vector)
  if (known !== undefined) return known
  const metrics = readV2Metrics(vector)
  if (read.size >= maxRead) read.clear()
  read.set(vector, metrics)
  return metrics
}

function readV2Metrics(vector: string): Metrics | null {
  const parsed = parseVector(vector)
  if (!parsed) return null
  const { version, metrics } = parsed
  if (version === '2.0') return metrics

  const letter = (name: string, letters: Metrics) => letters[metrics[name] ?? ''] ?? ''
  const impacts = version === '4.0' ? { C: 'VC', I: 'VI', A: 'VA' } : { C: 'C', I: 'I', A: 'A' }
  return {
    AV: letter('AV', v2Reach),
    AC: metrics.AC ?? '',
    Au: letter('PR', v2Authentication),
    C: letter(impacts.C, v2Loss),
    I: letter(impacts.I, v2Loss),
    A: letter(impacts.A, v2Loss),
  }
}
