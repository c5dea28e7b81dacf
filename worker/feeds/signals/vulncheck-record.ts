import * as z from 'zod'
import { cveIdPattern } from '../../domain/names/cve'
import type { VulnRecord } from '../../domain/words/record'
import { readKevNames } from './kev-names'
import { lenient, pickWeaknesses } from '../source/fields'

const text = lenient(z.string().max(20_000))
/** A day; Go writes a time that is not known as the year 1. */
const day = lenient(
  z
    .string()
    .regex(/^(?:19|20)\d{2}-\d{2}-\d{2}/)
    .transform((stamp) => stamp.slice(0, 10))
    .pipe(z.iso.date()),
)
const Report = z.object({
  url: z
    .string()
    .max(2_000)
    .regex(/^https?:\/\/[^\s/]/i),
  date_added: day,
})

export const VulnCheckEntry = z
  .object({
    cve: z.array(z.unknown()).max(100),
    vendorProject: text,
    product: text,
    vulnerabilityName: text,
    shortDescription: text,
    knownRansomwareCampaignUse: text,
    cwes: z.array(z.string()).max(100).nullish().catch(undefined),
    vulncheck_xdb: z.array(z.unknown()).nullish().catch(undefined),
    vulncheck_reported_exploitation: z.array(z.unknown()).nullish().catch(undefined),
    reported_exploited_by_vulncheck_canaries: lenient(z.boolean()),
    date_added: day,
  })
  .refine(({ cve }) => namesIn(cve).length > 0, 'names no vulnerability')

const namesIn = (cve: unknown[]) => cve.filter((id): id is string => typeof id === 'string' && cveIdPattern.test(id))

const shownReports = 5
const readReports = 2_000
const page = 'https://vulncheck.com/kev'

/**
 * Claims of exploitation by VulnCheck, as one record for each CVE of an entry. Source: docs.vulncheck.com/community/vulncheck-kev/schema
 * and the `advisory.VulnCheckKEV` of VulnCheck's published SDK, where each field may be absent.
 */
export function fromVulnCheck(entry: z.output<typeof VulnCheckEntry>): VulnRecord[] {
  const reports = pickReports(entry.vulncheck_reported_exploitation ?? [])
  const name = entry.vulnerabilityName?.trim()
  const named = readKevNames(entry.vendorProject?.trim() ?? '', entry.product?.trim() ?? '')
  const words = [
    name || 'Known to be exploited',
    entry.knownRansomwareCampaignUse === 'Known' && 'used by ransomware',
    entry.reported_exploited_by_vulncheck_canaries && 'seen by VulnCheck’s own sensors',
    reports[0]?.date_added && `first reported on ${reports[0].date_added}`,
    entry.vulncheck_xdb?.length && 'with public exploits in VulnCheck XDB',
  ]
  return [...new Set(namesIn(entry.cve))].map((cveid) => ({
    cveid,
    state: 'awaiting',
    summary: (entry.shortDescription ?? name ?? '').trim(),
    cwe_ids: pickWeaknesses(entry.cwes ?? []),
    references: reports.map(({ url }) => ({ url, tags: [] })),
    claims: [
      {
        key: 'vulncheck',
        by: 'vulncheck',
        name: 'VulnCheck KEV',
        exploited: true,
        reason: 'confirmed',
        added: entry.date_added ?? '',
        notes: words.filter(Boolean).join('; '),
        link: reports[0]?.url ?? page,
        ...(reports.length && { evidence: reports.map(({ host }) => ({ type: 'report', source: host })) }),
      },
    ],
    ...(named.length && { named }),
  }))
}

/** The oldest report of each host, so that those of each day change no record; VulnCheck's sensors have no page to read, and are told in words. */
function pickReports(list: unknown[]) {
  const byHost = new Map<string, { host: string; url: string; date_added: string | undefined }>()
  const parsed = list.slice(0, readReports).flatMap((one) => Report.safeParse(one).data ?? [])
  for (const { url, date_added } of parsed.toSorted(
    (a, b) => Number(dated(a) > dated(b)) - Number(dated(a) < dated(b)),
  )) {
    const host = URL.parse(url)?.hostname.slice(0, 200)
    if (host && host !== 'api.vulncheck.com' && !byHost.has(host)) byHost.set(host, { host, url, date_added })
  }
  return [...byHost.values()].slice(0, shownReports)
}

const dated = ({ date_added }: z.output<typeof Report>) => date_added ?? '9999'
