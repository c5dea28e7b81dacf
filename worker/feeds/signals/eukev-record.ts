import * as z from 'zod'
import { cveIdPattern } from '../../domain/names/cve'
import type { VulnRecord } from '../../domain/words/record'
import { readKevNames } from './kev-names'
import { lenient, pickWeaknesses, uniteReferences } from '../source/fields'

const day = z
  .string()
  .transform((written) => written.replaceAll('/', '-'))
  .pipe(z.iso.date())
/** The list was once written with single words where it has lists, and with `-` for none. */
const wordList = z
  .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string().max(200)).max(100))
  .transform((list) => list.map((one) => one.trim()).filter((one) => one !== '' && one !== '-'))
const text = lenient(z.string().max(20_000))

export const EuKevEntry = z
  .object({
    cveID: lenient(z.string().regex(cveIdPattern)),
    euvdID: lenient(z.string().regex(/^EUVD-\d{4}-\d{1,19}$/)),
    vendorProject: text,
    product: text,
    vulnerabilityName: text,
    shortDescription: text,
    dateReported: day,
    patchedSince: lenient(day),
    originSource: text,
    exploitationType: wordList.catch([]),
    threatActorsExploiting: wordList.catch([]),
    cwes: wordList.catch([]),
    notes: text,
  })
  .refine(({ cveID, euvdID }) => cveID !== undefined || euvdID !== undefined, 'names no vulnerability')

const catalogue = 'https://github.com/enisaeu/CNW/tree/main/eukev'

/** Claims of exploitation by ENISA and the CSIRTs of the EU. Source: the list's own schema, v1. */
export function fromEuKev(entry: z.output<typeof EuKevEntry>): VulnRecord {
  const { cveID, euvdID, dateReported, patchedSince, exploitationType, threatActorsExploiting, notes = '' } = entry
  const products = entry.product?.split(/,\s*/).map((one) => one.trim()) ?? []
  const named = products.flatMap((product) => readKevNames(entry.vendorProject?.trim() ?? '', product))
  const name = entry.vulnerabilityName?.replace(/^-$/, '').trim()
  const kinds = exploitationType.map((one) => (one === 'unknown' ? '' : one)).filter(Boolean)
  const words = [
    name || 'Known to be exploited',
    entry.originSource && `reported by ${entry.originSource.trim()}`,
    kinds.length > 0 && `used by ${kinds.join(', ')}`,
    threatActorsExploiting.length > 0 && `by ${threatActorsExploiting.join(', ')}`,
    patchedSince && `patched since ${patchedSince}`,
    patchedSince && patchedSince > dateReported && 'exploited before there was a patch',
  ]
  return {
    cveid: cveID ?? euvdID ?? '',
    state: 'awaiting',
    summary: (entry.shortDescription ?? name ?? '').trim(),
    cwe_ids: pickWeaknesses(entry.cwes),
    references: uniteReferences(
      notes
        .split(/[\s,;]+/)
        .filter((word) => /^https?:\/\//i.test(word))
        .map((url) => ({ url })),
    ),
    ...(cveID && euvdID && { aliases: [euvdID] }),
    claims: [
      {
        key: 'eukev',
        by: 'eu',
        name: 'EU KEV',
        exploited: true,
        reason: 'confirmed',
        added: dateReported,
        notes: words.filter(Boolean).join('; '),
        link: catalogue,
        ...(entry.originSource && { evidence: [{ type: 'report', source: entry.originSource.trim() }] }),
      },
    ],
    ...(named.length && { named }),
  }
}
