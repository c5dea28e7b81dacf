import * as z from 'zod'
import { fieldMask } from '../domain/words/names'
import { ExploitQuery, ExploitRow, ThreatQuery, ThreatRow } from '../exploits/contract'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, IdParams, When } from '../http/fields'
import { arrayOrPage, PageNumber, pageSchema, pageQuery } from '../http/page'
import { AffectedPackageRow, AffectedRow, VulnDetail } from '../vulns/detail/contract'
import { VulnRow, vulnSorts } from '../vulns/contract'

const open = { access: 'public', isShared: true } as const

const rowFields = {
  ...fieldMask('id uuid cveid state summary published modified assigner cvss cvss_vector cvss3 cvss3_vector'),
  ...fieldMask('cvss4 cvss4_vector cwe_id access impact is_exploitable is_confirmed is_in_the_news'),
  ...fieldMask('is_in_the_wild unknown_flags exploit_count threat_activity_count cpe_count product_count'),
  ...fieldMask('package_count score is_score_provisional epss epss_percentile kev products created_at updated_at'),
}

/** Anybody may read these fields: none depends on an organization. */
const PublicVulnRow = VulnRow.pick(rowFields)

export const PublicVuln = VulnDetail.pick({
  ...rowFields,
  ...fieldMask('exploited_by cvss_source cvss3_source cvss4_source cwe_ids cwe_name cwe_refs attack_techniques'),
  ...fieldMask('reflinks references vulnerable_products vulnerable_product_versions vulnerable_packages_versions'),
  ...fieldMask('safe_upgrades aliases title ssvc rating_vector'),
}).extend({
  affected: z.array(AffectedRow.omit({ monitored: true })),
  affected_packages: z.array(AffectedPackageRow.omit({ monitored: true })),
})
export type PublicVuln = z.output<typeof PublicVuln>

const PublicExploit = ExploitRow.omit({ is_editable: true })
const PublicThreat = ThreatRow.omit({ is_editable: true })

/** A limit, because each further page reads more rows. */
export const lastPage = 100
const OpenPage = z.coerce.number<number | string>().int().min(1).max(lastPage).default(1)

export const PublicVulnQuery = pageQuery(vulnSorts, '-updated_at').extend({
  page: OpenPage,
  search: z.string().trim().max(10_000).optional(),
  kev: Flag.optional(),
  is_exploitable: Flag.optional(),
  score__gte: z.coerce.number<number | string>().optional(),
  score__lte: z.coerce.number<number | string>().optional(),
  updated_at__gte: When.optional(),
})
export type PublicVulnQuery = z.output<typeof PublicVulnQuery>

export const listPublicVulns = endpoint({
  path: '/api/public/vulns/',
  ...open,
  summary: 'Vulnerabilities, for anybody',
  query: PublicVulnQuery,
  reply: pageSchema(PublicVulnRow),
})

export const publicStats = endpoint({
  path: '/api/public/vulns/stats',
  ...open,
  summary: 'How many vulnerabilities, exploits and threat activities are known',
  reply: z.object({
    vulns: Tally,
    vulns_exploitable: z.int(),
    vulns_remote: z.int(),
    exploits: Tally,
    threats: Tally,
  }),
})

const ObjectiveRow = z.object({
  id: z.string(),
  name: z.string(),
  unit: z.enum(['percent', 'seconds']),
  /** At least so many percent, at most so many seconds. */
  objective: z.number(),
  now: z.enum(['good', 'bad', 'unknown']),
  /** Percent of the measured times, or the seconds within which 95 of 100 alerts of the newest measured day left. */
  value: z.number().nullable(),
  is_met: z.boolean().nullable(),
  /** A day that is not in it was not measured. */
  history: z.array(z.object({ day: z.string(), value: z.number(), is_met: z.boolean() })),
})

export const publicStatus = endpoint({
  path: '/api/public/status',
  ...open,
  summary:
    'The objectives of this installation, and how they were kept on each of 90 days, as it measured itself and as probes saw it',
  reply: z.object({ measured_at: z.string().nullable(), days: z.array(z.string()), objectives: z.array(ObjectiveRow) }),
})

export const publicCensus = endpoint({
  path: '/api/public/census',
  ...open,
  summary:
    'Of how many CVEs, by month of publication, which source states affected versions for machines, and how soon',
  reply: z.object({
    /** When the oldest of its counts was made; null before the first. */
    counted_from: z.string().nullable(),
    /** A month that is not in `months` was not counted yet. */
    months_total: z.int(),
    undated: z.int().nullable(),
    reserved: z.int(),
    rejected: z.int(),
    waits: z.array(z.string()),
    months: z.array(
      z.object({
        month: z.string(),
        counted_at: z.string(),
        cves: z.int(),
        /** A product is named, and no version. */
        by_name: z.int(),
        /** CVEs by `waits`, for `any` and each source; one that was never read is absent. */
        sources: z.record(z.string(), z.array(z.int())),
      }),
    ),
  }),
})

export const exportPublicCensus = endpoint({
  path: '/api/public/census/export/csv',
  ...open,
  summary: 'The same as a file, a line for each month and source',
  produces: 'text/csv',
  reply: z.unknown(),
})

export const publicLatest = endpoint({
  path: '/api/public/vulns/latest',
  ...open,
  summary: 'The newest vulnerabilities and exploits',
  reply: z.object({ vulns: z.array(PublicVulnRow), exploits: z.array(PublicExploit) }),
})

export const getPublicVulnByCve = endpoint({
  path: '/api/public/vulns/cve/:cveid',
  ...open,
  summary: 'One vulnerability by its CVE id, for anybody',
  params: z.object({ cveid: z.string().trim().toUpperCase().max(100) }),
  reply: PublicVuln,
})

export const getPublicVuln = endpoint({
  path: '/api/public/vulns/:id/',
  ...open,
  summary: 'One vulnerability, for anybody',
  params: IdParams,
  reply: PublicVuln,
})

export const listPublicExploits = endpoint({
  path: '/api/public/vulns/:id/exploits',
  ...open,
  summary: 'Public exploits of a vulnerability, the best first and non-exploits last',
  params: IdParams,
  query: pageQuery(['relevancy_level', 'modified', 'best'], '-best').extend({ page: PageNumber.optional() }),
  reply: arrayOrPage(PublicExploit),
})

export const listPublicThreats = endpoint({
  path: '/api/public/vulns/:id/threats',
  ...open,
  summary: 'Public threat activities of a vulnerability, newest first',
  params: IdParams,
  query: pageQuery(['modified'], '-modified').extend({ page: PageNumber.optional() }),
  reply: arrayOrPage(PublicThreat),
})

const openFilters = fieldMask('limit sorted_by then_by search cveid link__icontains notes__icontains')

export const listAllPublicExploits = endpoint({
  path: '/api/public/exploits/',
  ...open,
  summary: 'All public exploits, newest first, for anybody',
  query: ExploitQuery.pick(openFilters).extend({ page: OpenPage }),
  reply: pageSchema(PublicExploit),
})

export const listAllPublicThreats = endpoint({
  path: '/api/public/threats/',
  ...open,
  summary: 'All public threat activities, newest first, for anybody',
  query: ThreatQuery.pick(openFilters).extend({ page: OpenPage }),
  reply: pageSchema(PublicThreat),
})

export const exportPublicVuln = endpoint({
  path: '/api/public/vulns/:id/export/json',
  ...open,
  summary: 'One vulnerability with all that is public of it, as a file',
  params: IdParams,
  reply: z.object({
    vulnerability: PublicVuln,
    exploits: z.array(PublicExploit),
    org_exploits: z.array(z.never()),
    threats: z.array(PublicThreat),
    org_threats: z.array(z.never()),
  }),
})
