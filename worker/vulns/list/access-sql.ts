import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

// Our words by the letters of CVSS 2, which `vulns.access` and `vulns.impact` hold (domain/cvss, baseLetters).
const loss = { NONE: 'N', PARTIAL: 'P', COMPLETE: 'C' }
const metrics = {
  access_vector: { column: 'access', at: 0, letters: { LOCAL: 'L', ADJACENT_NETWORK: 'A', NETWORK: 'N' } },
  access_complexity: { column: 'access', at: 1, letters: { LOW: 'L', MEDIUM: 'M', HIGH: 'H' } },
  access_authentication: { column: 'access', at: 2, letters: { NONE: 'N', SINGLE: 'S', MULTIPLE: 'M' } },
  impact_confidentiality: { column: 'impact', at: 0, letters: loss },
  impact_integrity: { column: 'impact', at: 1, letters: loss },
  impact_availability: { column: 'impact', at: 2, letters: loss },
} as const
export type AccessField = keyof typeof metrics
export const isAccessField = (field: string): field is AccessField => field in metrics

const letterOf = (field: AccessField, word: string) =>
  (metrics[field].letters as Readonly<Record<string, string>>)[word] ?? ''

/** Whether a vulnerability is reached so, or harms that. */
export const accessIs = (field: AccessField, word: string): SQL =>
  sql`substr(${sql.raw(`vulns.${metrics[field].column}`)}, ${sql.raw(String(metrics[field].at + 1))}, 1) = ${letterOf(field, word)}`

/** The column that knows it, and all that the column can hold where it is so. */
export function accessValues(field: AccessField, word: string) {
  const { column, at } = metrics[field]
  const places = Object.values(metrics).filter((metric) => metric.column === column)
  const values = places.reduce<string[]>(
    (begun, { at: place, letters }) =>
      begun.flatMap((start) =>
        (place === at ? [letterOf(field, word)] : Object.values(letters)).map((letter) => start + letter),
      ),
    [''],
  )
  return { column, values }
}
