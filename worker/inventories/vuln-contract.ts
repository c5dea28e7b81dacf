import * as z from 'zod'
import { runVerdicts } from '../domain/versions/verdict'
import { vexStatuses } from '../domain/decisions/vex'
import { endpoint } from '../http/endpoint'
import { Tally } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { FindingQuery, FindingRow } from './contract'
import { NameParams } from './name'

const sorts = ['risk', 'score', 'epss', 'components', 'cveid', 'newest', 'due'] as const
const { search, status, kev, overdue, fix } = FindingQuery.shape

export const FoundVulnQuery = pageQuery(sorts, '-risk').extend({ search, status, kev, overdue, fix })
export type FoundVulnQuery = z.output<typeof FoundVulnQuery>
export type FoundVulnQueryInput = z.input<typeof FoundVulnQuery>

export const FoundVuln = FindingRow.pick({
  vuln_id: true,
  cveid: true,
  summary: true,
  score: true,
  is_score_provisional: true,
  cvss3: true,
  epss: true,
  kev: true,
  ssvc: true,
  due: true,
  vuln_status: true,
}).extend({
  /** The worst of its components. */
  verdict: z.enum(runVerdicts),
  /** When the first of them was found. */
  found_at: z.string(),
  components_count: Tally,
  /** The first of them, the worst verdict first. */
  components: z.array(
    FindingRow.pick({ component_id: true, component: true, version: true, fixed_in: true }).extend({
      verdict: z.enum(runVerdicts),
      decision: z.enum(vexStatuses).nullable(),
    }),
  ),
})
export type FoundVuln = z.output<typeof FoundVuln>

export const listFoundVulns = endpoint({
  path: '/api/inventories/:name/vulns',
  access: 'member',
  summary: 'Findings of an inventory by vulnerability: each once, with its components and their worst verdict',
  params: NameParams,
  query: FoundVulnQuery,
  reply: pageSchema(FoundVuln),
})
