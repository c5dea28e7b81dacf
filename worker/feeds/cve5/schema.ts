import * as z from 'zod'
import { cveIdPattern } from '../../domain/names/cve'
import { lenient } from '../source/fields'

// CNAs write metrics by hand: we drop a metric that breaks the rules, not the record.
const Cvss = lenient(z.object({ version: z.string(), vectorString: z.string(), baseScore: z.number().min(0).max(10) }))
const Other = lenient(z.object({ type: z.string(), content: z.record(z.string(), z.unknown()) }))
const Metric = z.object({ cvssV2_0: Cvss, cvssV3_0: Cvss, cvssV3_1: Cvss, cvssV4_0: Cvss, other: Other })

const Text = z.object({ lang: z.string(), value: z.string() })

const Version = z.object({
  version: z.string(),
  status: z.enum(['affected', 'unaffected', 'unknown']),
  versionType: z.string().optional(),
  lessThan: z.string().optional(),
  lessThanOrEqual: z.string().optional(),
  changes: z.array(z.object({ at: z.string(), status: z.enum(['affected', 'unaffected', 'unknown']) })).optional(),
})

const Affected = z.object({
  vendor: z.string().optional(),
  product: z.string().optional(),
  collectionURL: z.string().optional(),
  packageName: z.string().optional(),
  packageURL: z.string().optional(),
  cpes: z.array(z.string()).optional(),
  defaultStatus: z.enum(['affected', 'unaffected', 'unknown']).optional(),
  versions: z.array(Version).optional(),
})
type WrittenAffected = z.output<typeof Affected>
/** `is_guess` and `is_fix_unstated` are ours (domain/versions/cve5-status). */
export type ParsedAffected = Omit<WrittenAffected, 'versions'> & {
  versions?: (z.output<typeof Version> & { is_guess?: true; is_fix_unstated?: true })[] | undefined
}

const Container = z.object({
  title: z.string().optional(),
  providerMetadata: z.object({ shortName: z.string().optional() }).optional(),
  descriptions: z.array(Text).optional(),
  // Prose beside the ranges: other values are left out.
  solutions: lenient(z.array(Text)),
  rejectedReasons: z.array(Text).optional(),
  affected: z.array(Affected).optional(),
  problemTypes: z
    .array(
      z.object({
        descriptions: z.array(z.object({ cweId: z.string().optional(), description: z.string().optional() })),
      }),
    )
    .optional(),
  references: z.array(z.object({ url: z.string(), tags: z.array(z.string()).optional() })).optional(),
  metrics: z.array(Metric).optional(),
})
export type Cve5Container = Omit<z.output<typeof Container>, 'affected'> & { affected?: ParsedAffected[] | undefined }

export const Cve5 = z.object({
  cveMetadata: z.object({
    cveId: z.string().regex(cveIdPattern),
    state: z.enum(['PUBLISHED', 'REJECTED']),
    assignerShortName: z.string().optional(),
    datePublished: z.string().optional(),
    dateUpdated: z.string().optional(),
    dateRejected: z.string().optional(),
  }),
  containers: z.object({ cna: Container, adp: z.array(Container).optional() }),
})
export type Cve5 = z.output<typeof Cve5>
