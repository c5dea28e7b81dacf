import * as z from 'zod'
import { cveIdPattern } from '../../domain/names/cve'
import type { Reference, VulnRecord } from '../../domain/words/record'
import { readKevNames } from './kev-names'
import { lenient } from '../source/fields'

const day = z.iso.date()
/** Longer ones are no words of CISA, and would not fit into a row. */
const text = z.string().max(20_000)
const optionalText = lenient(text)

export const KevEntry = z.object({
  cveID: z.string().regex(cveIdPattern),
  vendorProject: optionalText,
  product: optionalText,
  vulnerabilityName: text,
  dateAdded: day,
  dueDate: lenient(day),
  shortDescription: text,
  requiredAction: optionalText,
  notes: optionalText,
  knownRansomwareCampaignUse: z.string().optional(),
  cwes: z.array(z.string()).max(100).optional(),
})

export function fromKev(entry: z.output<typeof KevEntry>): VulnRecord {
  const [vendor, product, action, notes] = [entry.vendorProject, entry.product, entry.requiredAction, entry.notes].map(
    (given = '') => given.trim(),
  )
  const named = readKevNames(vendor ?? '', product ?? '')
  return {
    cveid: entry.cveID,
    state: 'awaiting',
    summary: entry.shortDescription || entry.vulnerabilityName,
    cwe_ids: entry.cwes ?? [],
    references: referencesIn(notes ?? ''),
    kev: {
      added: entry.dateAdded,
      due: entry.dueDate ?? null,
      ransomware: entry.knownRansomwareCampaignUse === 'Known',
      name: entry.vulnerabilityName.trim(),
      ...(action && { action }),
      ...(vendor && { vendor }),
      ...(product && { product }),
      ...(notes && { notes }),
    },
    ...(named.length && { named }),
  }
}

// Addresses stand between commas, semicolons and words. NVD's page is left out: other links lead there.
function referencesIn(notes: string): Reference[] {
  const urls = notes.split(/[\s,;]+/).filter((word) => /^https?:\/\//i.test(word))
  return [...new Set(urls)].filter((url) => !url.includes('//nvd.nist.gov/')).map((url) => ({ url, tags: [] }))
}
