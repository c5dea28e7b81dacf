import type { Comparison } from '../domain/query/ast'

/** Fields of few values: scores are whole numbers to 100, CVSS scores go by tenths to 10. */
const steps = { score: { most: 100, parts: 1 }, cvss: { most: 10, parts: 10 }, cvss3: { most: 10, parts: 10 } }
export type ValueField = keyof typeof steps
const valueFields = ['score', 'cvss', 'cvss3'] as const

/** More values than these are so common that walking all vulnerabilities finds them as soon. */
const mostValues = 21

/** The values of a field that all comparisons allow, where they are few; undefined where they are many. */
export function valuesAskedFor(comparisons: Comparison[]): { field: ValueField; values: number[] } | undefined {
  for (const field of valueFields) {
    const asked = comparisons.filter((one) => one.field === field)
    if (!asked.length) continue
    const { most, parts } = steps[field]
    const values = Array.from({ length: most * parts + 1 }, (_, at) => at / parts)
    const allowed = values.filter((value) => asked.every((one) => isAllowed(value, one)))
    if (allowed.length <= mostValues) return { field, values: allowed }
  }
  return undefined
}

function isAllowed(value: number, { op, value: bound }: Comparison) {
  const limit = Number(bound)
  if (op === 'gt') return value > limit
  if (op === 'gte') return value >= limit
  if (op === 'lt') return value < limit
  return op === 'lte' ? value <= limit : value === limit
}
