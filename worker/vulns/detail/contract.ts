import * as z from 'zod'
import { DueReason } from '../../decisions/due-contract'
import { affectedPlaces } from '../../domain/versions/affected-items'
import { techniqueReasons } from '../../domain/scores/techniques'
import { judgedKinds, runVerdicts } from '../../domain/versions/verdict'
import { claimReasons } from '../../domain/words/record'
import { endpoint } from '../../http/endpoint'
import { Tally, IdParams } from '../../http/fields'
import { VersionSupport, WeaknessRefs } from '../../taxonomy/contract'
import { OtherVulnRef, VulnRow } from '../contract'

const versions = {
  monitored: z.boolean(),
  /** The affected ranges, each once, in words: "1.0.1f", ">= 1.0.1, < 1.0.1g", "all versions". */
  versions: z.array(z.string()),
  /** How many there are when `versions` is cut. */
  versions_count: Tally,
  /** The versions that fix it. */
  fixed: z.array(z.string()),
  /** The first versions that it does not list as affected, where nothing says that they fix it. */
  first_unlisted: z.array(z.string()),
}

export const AffectedRow = z.object({
  product_id: z.int(),
  vendor: z.string(),
  product: z.string(),
  source: z.string(),
  ...versions,
  /** No source names versions: a catalogue, a title or a CNA names the product alone. */
  is_name_only: z.boolean(),
})

export const AffectedPackageRow = z.object({
  package_id: z.int(),
  type: z.string(),
  name: z.string(),
  purl: z.string(),
  source: z.string(),
  ...versions,
})

/** Of all sources. */
export const AffectedItem = z.object({
  via: z.enum(['product', 'package']),
  id: z.int(),
  /** The vendor of a product, the type of a package. */
  vendor: z.string(),
  name: z.string(),
  purl: z.string().nullable(),
  /** Monitored items come first, then subjects of the vulnerability, others that contain them, and builds of distributions. */
  place: z.enum(affectedPlaces),
  ...versions,
  sources: z.array(z.string()),
  /** Some version is affected to one source and not to another. */
  is_disputed: z.boolean(),
  /** The fix or end of ranges as one text: it groups the items of a place. */
  fix: z.string().nullable(),
  is_name_only: z.boolean(),
})
export type AffectedItem = z.output<typeof AffectedItem>

/** CISA's own words about an entry of KEV. */
const KevDetail = z.object({
  added: z.string(),
  due: z.string().nullable(),
  ransomware: z.boolean(),
  name: z.string().nullable(),
  vendor: z.string().nullable(),
  product: z.string().nullable(),
  /** Required action. */
  action: z.string().nullable(),
  /** The references repeat its addresses. */
  notes: z.string().nullable(),
})

const named = { id: z.int(), name: z.string(), vendor: z.string().nullable() }

export const VulnDetail = VulnRow.extend({
  kev: KevDetail.nullable(),
  /** Why it is due on its day, or not at all; null where the policy of the organization says nothing of it. */
  due_reason: DueReason.nullable(),
  /**
   * Claims of catalogues on exploitation, the newest first; denials where `exploited` is false. `reason` may be a mere
   * suspicion; `withdrawn` is the day on which the catalogue took it back.
   */
  exploited_by: z.array(
    z.object({
      by: z.string(),
      name: z.string(),
      exploited: z.boolean(),
      reason: z.enum(claimReasons),
      added: z.string(),
      withdrawn: z.string().nullable(),
      notes: z.string(),
      link: z.string(),
      evidence: z.array(
        z.object({
          type: z.string(),
          signal: z.string().optional(),
          confidence: z.number().optional(),
          source: z.string().optional(),
        }),
      ),
    }),
  ),
  cvss_source: z.string().nullable(),
  cvss3_source: z.string().nullable(),
  cvss4_source: z.string().nullable(),
  cwe_ids: z.array(z.string()),
  cwe_name: z.string(),
  cwe_names: z.record(z.string(), z.string()),
  cwe_refs: WeaknessRefs,
  /** ATT&CK techniques that follow from its access (T1190) or from its weaknesses. */
  attack_techniques: z.array(
    z.object({
      external_id: z.string(),
      url: z.string(),
      description: z.string(),
      reason: z.enum(techniqueReasons),
    }),
  ),
  reflinks: z.array(z.string()),
  references: z.array(z.object({ url: z.string(), tags: z.array(z.string()) })),
  vulnerable_products: z.array(z.string()),
  vulnerable_product_versions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
  /** Each product and package once, the most relevant first. */
  affected_items: z.array(AffectedItem),
  affected: z.array(AffectedRow),
  affected_packages: z.array(AffectedPackageRow),
  /** Versions to run instead of a fix that another exploited vulnerability affects. */
  safe_upgrades: z.array(
    z.object({
      via: z.enum(judgedKinds),
      /** The vendor of a product, the type of a package. */
      vendor: z.string(),
      name: z.string(),
      /** The version that a source names for this vulnerability. */
      first: z.string(),
      to: z.string(),
      /** The vulnerabilities that ask for more than `first`, one step after the other. */
      because: z.array(OtherVulnRef),
      /** Exploited ones that some source says affect `to`, too, and no source names a higher version. */
      still: z.array(OtherVulnRef),
    }),
  ),
  /** By type and name of a package, as older clients read it. */
  vulnerable_packages_versions: z.record(
    z.string(),
    z.record(z.string(), z.array(z.object({ affected_versions: z.string(), patched_versions: z.string() }))),
  ),
  aliases: z.array(z.string()),
  ssvc: z
    .object({
      exploitation: z.enum(['none', 'poc', 'active']).nullable(),
      automatable: z.boolean().nullable(),
      technical_impact: z.enum(['partial', 'total']).nullable(),
    })
    .nullable(),
  /** Source of each field. */
  provenance: z.record(z.string(), z.string()),
  /** The watched items that make it monitored; `vendor` is that of a product. */
  monitored_by: z.array(z.object({ via: z.enum(['vuln', 'product', 'package', 'vendor', 'inventory']), ...named })),
  /**
   * Watched items and inventories that have a name of it, in a version that waits to be compared (`is_pending`) or in none. Until then nobody can
   * tell whether the organization runs it.
   */
  uncompared: z.array(
    z.object({ via: z.enum(['product', 'package', 'inventory']), ...named, is_pending: z.boolean() }),
  ),
  /**
   * The versions that the organization runs of affected items; `vendor` is that of a product, the type of a package, the
   * inventory of a component.
   */
  runs: z.array(
    z.object({
      via: z.enum(['product', 'package', 'inventory']),
      id: z.int(),
      name: z.string(),
      vendor: z.string(),
      versions: z.array(
        z.object({
          version: z.string(),
          verdict: z.enum(runVerdicts),
          /** The source and range behind the verdict; null where no source speaks of the version. */
          source: z.string().nullable(),
          statement: z.string().nullable(),
          fixed_in: z.string().nullable(),
          /** If no source names a fix: the lowest higher version that is not listed as affected. */
          first_unlisted: z.string().nullable(),
          /** Its release, or that of the distribution of a package; null where nobody lists one. */
          support: VersionSupport.nullable(),
        }),
      ),
    }),
  ),
  rating_vector: z.string().nullable(),
  sources: z.array(z.object({ source: z.string(), modified: z.string().nullable() })),
})
export type VulnDetail = z.output<typeof VulnDetail>

export const getVuln = endpoint({
  path: '/api/vulns/:id/',
  access: 'member',
  summary: 'One vulnerability',
  params: IdParams,
  reply: VulnDetail,
})

const ChangeValue = z.union([z.string(), z.number()]).nullable()

const HistoryEntry = z.object({
  date: z.string(),
  reason: z.string(),
  changes: z.array(z.string()),
  /** The same changes with the values before and after. */
  details: z.array(z.object({ field: z.string(), label: z.string(), from: ChangeValue, to: ChangeValue })),
  scope: z.enum(['vuln', 'exploit', 'threat']),
  source: z.string(),
})
export type HistoryEntry = z.output<typeof HistoryEntry>

export const vulnHistory = endpoint({
  path: '/api/vulns/:id/history',
  access: 'member',
  summary: 'Changes of a vulnerability, oldest first',
  params: IdParams,
  reply: z.array(HistoryEntry),
})
