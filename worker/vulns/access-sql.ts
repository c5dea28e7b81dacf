import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { vulns } from './tables'

// What each of our words is in a vector: of CVSS 2, of 3.x, of 4.0 (domain/cvss reads the same).
const reach = { LOCAL: ['AV:L', 'AV:P'], ADJACENT_NETWORK: ['AV:A'], NETWORK: ['AV:N'] }
const complexity = { LOW: ['AC:L'], MEDIUM: ['AC:M'], HIGH: ['AC:H'] }
const authentication = { NONE: ['Au:N', 'PR:N'], SINGLE: ['Au:S', 'PR:L'], MULTIPLE: ['Au:M', 'PR:H'] }
const impact = (metric: string) => ({
  NONE: [`${metric}:N`, `V${metric}:N`],
  PARTIAL: [`${metric}:P`, `${metric}:L`, `V${metric}:L`],
  COMPLETE: [`${metric}:C`, `${metric}:H`, `V${metric}:H`],
})

// The vector that the row of a list shows its access and impact by.
const vector = sql`('/' || coalesce(${vulns.cvss_vector}, ${vulns.cvss3_vector}, ${vulns.cvss4_vector}) || '/')`

const saying = (pieces: Record<string, string[]>) => (word: string) => {
  const any = (pieces[word] ?? []).map((piece) => sql`instr(${vector}, ${sql.raw(`'/${piece}/'`)}) > 0`)
  return sql`(${sql.join(any, sql` or `)})`
}

/** Conditions on how a vulnerability is reached and what it harms, by the field of the query. */
export const accessColumns: Record<
  | 'access_vector'
  | 'access_complexity'
  | 'access_authentication'
  | 'impact_confidentiality'
  | 'impact_integrity'
  | 'impact_availability',
  (word: string) => SQL
> = {
  access_vector: saying(reach),
  access_complexity: saying(complexity),
  access_authentication: saying(authentication),
  impact_confidentiality: saying(impact('C')),
  impact_integrity: saying(impact('I')),
  impact_availability: saying(impact('A')),
}
