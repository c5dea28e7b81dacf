const ratingGroups = ['vulnerability', 'threat', 'asset'] as const
export type RatingGroup = (typeof ratingGroups)[number]

/** One of several letters. */
type Choice = { kind: 'choice'; group: RatingGroup; name: string; values: Readonly<Record<string, string>> }
/** Y, or absent. */
type Mark = { kind: 'mark'; group: RatingGroup; name: string }
/** Whole days. */
type Age = { kind: 'age'; group: RatingGroup; name: string }
export type RatingMetric = Choice | Mark | Age

const choice = (group: RatingGroup, name: string, values: Choice['values']): Choice => ({
  kind: 'choice',
  group,
  name,
  values,
})
const mark = (group: RatingGroup, name: string): Mark => ({ kind: 'mark', group, name })
const age = (group: RatingGroup, name: string): Age => ({ kind: 'age', group, name })
const impact = { N: 'None', L: 'Partial', C: 'Complete' }
const remediation = { X: 'Unknown', U: 'Unavailable', W: 'Workaround', T: 'Temporary fix', O: 'Official fix' }

/** In order, with their letters in words; X or none says that nothing is known. Source: specification 1, section 3. */
export const ratingMetrics = {
  AV: choice('vulnerability', 'Access vector', { L: 'Local', A: 'Adjacent', N: 'Network' }),
  AC: choice('vulnerability', 'Access complexity', { H: 'High', M: 'Medium', L: 'Low' }),
  Au: choice('vulnerability', 'Authentication', { M: 'Multiple', S: 'Single', N: 'None' }),
  C: choice('vulnerability', 'Confidentiality impact', impact),
  I: choice('vulnerability', 'Integrity impact', impact),
  A: choice('vulnerability', 'Availability impact', impact),
  CL: mark('vulnerability', 'Confirmed'),
  R: choice('vulnerability', 'Remediation', remediation),
  VX: age('vulnerability', 'Age of the vulnerability'),
  EA: choice('threat', 'Exploit availability', { X: 'Unknown', R: 'Private', U: 'Public' }),
  EM: choice('threat', 'Exploit maturity', { X: 'Unknown', U: 'Unproven', P: 'Proof of concept', F: 'Functional' }),
  ET: choice('threat', 'Trust in the exploit', { X: 'Unknown', L: 'Low', M: 'Medium', H: 'High' }),
  EX: age('threat', 'Age of the exploit'),
  N: mark('threat', 'In the news'),
  W: mark('threat', 'In the wild'),
  Cr: choice('asset', 'Criticality', { X: 'Not set', L: 'Low', M: 'Medium', H: 'High' }),
  E: choice('asset', 'Exposure', { X: 'Not set', R: 'Restricted', I: 'Internal', E: 'External' }),
  D: choice('asset', 'Distribution', { X: 'Not set', L: 'Low', M: 'Medium', H: 'High' }),
} satisfies Record<string, RatingMetric>

export type RatingCode = keyof typeof ratingMetrics
/** Letters, and ages as digits; unknown metrics are absent. */
export type RatingMetrics = { [code in RatingCode]?: string }

export const ratingCodes = Object.keys(ratingMetrics).filter(isRatingCode)

/** The metrics as a vector, in their order. */
export const formatRatingVector = (metrics: RatingMetrics) =>
  ratingCodes.flatMap((code) => (metrics[code] === undefined ? [] : [`${code}:${metrics[code]}`])).join('/')

export type WrongToken = { token: string; reason: string }

/** Never fails. A token that cannot be read is left out and named in `wrong`; X is left out silently. */
export function parseRatingVector(vector: string): { metrics: RatingMetrics; wrong: WrongToken[] } {
  const usedCodes = new Set<RatingCode>()
  const metrics: RatingMetrics = {}
  const wrong: WrongToken[] = []
  for (const token of vector.trim().split('/')) {
    const [code = '', ...values] = token.split(':')
    const value = readValue(code, values.join(':'))
    if (!isRatingCode(code) || value === null) wrong.push({ token, reason: reasonAgainst(code) })
    else if (usedCodes.has(code)) wrong.push({ token, reason: `${code} is given twice` })
    else if (value !== 'X') metrics[code] = value
    if (isRatingCode(code)) usedCodes.add(code)
  }
  return { metrics, wrong }
}

// Other letters of the impacts, with the same weights.
const synonyms = new Map<string, string>([
  ['P', 'L'],
  ['H', 'C'],
])
const agePattern = /^\d{1,6}$/

/** Specification 1, section 4 (default rating); ages as on the day of publication. */
export const defaultRating = parseRatingVector('AV:N/AC:L/Au:N/C:N/I:N/A:N/VX:0/EX:0/Cr:M/E:I/D:M').metrics

function readValue(code: string, value: string) {
  if (!isRatingCode(code)) return null
  const metric: RatingMetric = ratingMetrics[code]
  if (metric.kind === 'mark') return value === 'Y' ? value : null
  if (metric.kind === 'age') return agePattern.test(value) ? String(Number(value)) : null
  const letter = metric.values === impact ? (synonyms.get(value) ?? value) : value
  return Object.hasOwn(metric.values, letter) ? letter : null
}

function reasonAgainst(code: string) {
  if (!isRatingCode(code)) return 'is no metric of a rating'
  const metric: RatingMetric = ratingMetrics[code]
  if (metric.kind === 'mark') return `${code} is Y or left out`
  if (metric.kind === 'age') return `${code} is a number of days`
  return `${code} is one of ${Object.keys(metric.values).join(', ')}`
}

function isRatingCode(code: string): code is RatingCode {
  return Object.hasOwn(ratingMetrics, code)
}
