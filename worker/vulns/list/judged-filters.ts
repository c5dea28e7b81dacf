import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import { claimants, isNamedCatalogue } from '../../domain/names/catalogues'
import { shared } from '../../schema/vulns'
import { concernRank } from '../../watchlist/monitored'
import { allHold, oneHolds } from './conditions'
import type { Filter } from './filters'

type Span = [from: number, before: number]
/** Of CVSS 3 and 4, of CVSS 2, and of our score where there is none (domain/scores/severity). */
const bands = new Map<string, Record<'cvss' | 'cvss2' | 'score', Span>>([
  ['critical', { cvss: [9, 11], cvss2: [11, 11], score: [80, 101] }],
  ['high', { cvss: [7, 9], cvss2: [7, 11], score: [60, 80] }],
  ['medium', { cvss: [4, 7], cvss2: [4, 7], score: [40, 60] }],
  ['low', { cvss: [0, 4], cvss2: [0, 4], score: [0, 40] }],
])

export const inSeverity: Filter = {
  condition: ({ value }) => {
    const band = bands.get(String(value))
    if (!band) return sql`coalesce(vulns.cvss4, vulns.cvss3, vulns.cvss, vulns.score) IS NULL`
    const isIn = (column: SQL, [from, before]: Span) => sql`${column} >= ${from} AND ${column} < ${before}`
    const newest = sql`coalesce(vulns.cvss4, vulns.cvss3)`
    return sql`CASE WHEN ${newest} IS NOT NULL THEN ${isIn(newest, band.cvss)}
      WHEN vulns.cvss IS NOT NULL THEN ${isIn(sql`vulns.cvss`, band.cvss2)} ELSE ${isIn(sql`vulns.score`, band.score)} END`
  },
}

/** An affected range ends before a version. Whoever called that no fix said so in the range. */
const endsIn = (table: SQL) => sql`EXISTS (SELECT 1 FROM ${table} a CROSS JOIN json_each(a.ranges) r
  WHERE a.vuln_id = vulns.id AND instr(a.ranges, '"lt":') > 0 AND CASE r.type WHEN 'object' THEN ${allHold([
    sql`r.value ->> 'lt' IS NOT NULL`,
    sql`r.value ->> 'status' IS NULL`,
    sql`r.value ->> 'is_fix_unstated' IS NULL`,
  ])} END)`

export const fixable: Filter = {
  condition: ({ value }) =>
    sql`${oneHolds([endsIn(sql`affected`), endsIn(sql`affected_packages`)])} = ${value === true ? sql`1` : sql`0`}`,
  cost: 4,
}

const isBy = (value: unknown) => {
  const by = String(value)
  if (by === 'any') return sql`TRUE`
  if (isNamedCatalogue(by)) return sql`c.catalogue = ${by}`
  return sql`c.catalogue NOT IN (SELECT item FROM ${valuesTable(claimants)})`
}

/** The claims are some thousands, and read whole. */
export const exploitedBy: Filter = {
  condition: ({ value }) =>
    sql`EXISTS (SELECT 1 FROM exploitation_claims c WHERE c.vuln_id = vulns.id AND c.is_exploited = 1 AND ${isBy(value)})`,
  ids: ([comparison]) =>
    comparison &&
    sql`SELECT DISTINCT vulns.id FROM exploitation_claims c
      CROSS JOIN vulns ON vulns.id = c.vuln_id WHERE c.is_exploited = 1 AND ${isBy(comparison.value)} AND ${shared}`,
  isWhole: true,
  cost: 2,
}

const ranks = new Map([
  ['yes', 3],
  ['maybe', 2],
  ['no', 1],
])

/** What it affects is monitored, so that `readRequest` asks for that as well. */
export const affects: Filter = {
  condition: ({ value }, { org_id }) => sql`${concernRank(org_id)} = ${ranks.get(String(value))}`,
  cost: 1,
}
