import { z } from 'zod'
import { cveIdPattern } from '../../domain/cve'
import type { Reference, VulnRecord } from '../../domain/record'

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

/** An entry of CISA's Known Exploited Vulnerabilities catalogue. */
export const KevEntry = z.object({
  cveID: z.string().regex(cveIdPattern),
  vulnerabilityName: z.string(),
  dateAdded: day,
  dueDate: day.optional().catch(undefined),
  shortDescription: z.string(),
  requiredAction: z.string().optional().catch(undefined),
  notes: z.string().optional().catch(undefined),
  knownRansomwareCampaignUse: z.string().optional(),
  cwes: z.array(z.string()).optional(),
})

export const fromKev = (entry: z.output<typeof KevEntry>): VulnRecord => ({
  cveid: entry.cveID,
  state: 'awaiting',
  summary: entry.shortDescription || entry.vulnerabilityName,
  cwe_ids: entry.cwes ?? [],
  references: referencesIn(entry.notes ?? ''),
  kev: {
    added: entry.dateAdded,
    due: entry.dueDate ?? null,
    ransomware: entry.knownRansomwareCampaignUse === 'Known',
    name: entry.vulnerabilityName,
    ...(entry.requiredAction?.trim() && { action: entry.requiredAction.trim() }),
  },
})

// Addresses between commas, semicolons and words; NVD's page is linked to anyway.
function referencesIn(notes: string): Reference[] {
  const urls = notes.split(/[\s,;]+/).filter((word) => /^https?:\/\//i.test(word))
  return [...new Set(urls)].filter((url) => !url.includes('//nvd.nist.gov/')).map((url) => ({ url, tags: [] }))
}
