import * as z from 'zod'
import { cveIdPattern } from '../../domain/names/cve'
import { listEndedBranches } from '../../domain/versions/branch-ends'
import type { AffectedProduct, Bounds, VulnRecord } from '../../domain/words/record'
import { utcStamp } from '../source/dates'
import { uniteReferences } from '../source/fields'
import { readNvdAffected, Configurations } from './record'

export const Override = z.object({
  _annotation: z.object({
    cve_id: z.string().regex(cveIdPattern),
    cna: z.string().optional(),
    reason: z.string().optional(),
    references: z.array(z.string()).optional(),
    published: z.string().optional(),
    modified: z.string().optional(),
    description: z.string().optional(),
  }),
  cve: z.object({
    configurations: Configurations.optional(),
    references: z.array(z.object({ url: z.string(), tags: z.array(z.string()).optional() })).optional(),
  }),
})

/** An override that was emptied because its CVE was rejected says only that. */
export function fromOverride({ _annotation, cve }: z.output<typeof Override>): VulnRecord {
  const { cve_id, cna, reason = '', references = [], published, modified, description } = _annotation
  const isRejected = !cve.configurations?.length && /\brejected\b/i.test(reason)
  return {
    cveid: cve_id,
    state: isRejected ? 'rejected' : 'published',
    ...(description?.trim() && { summary: description.trim() }),
    ...(published && { published: utcStamp(published) }),
    ...(modified && { modified: utcStamp(modified) }),
    ...(cna && { assigner: cna }),
    references: uniteReferences([...references.map((url) => ({ url })), ...(cve.references ?? [])]),
    ...(!isRejected && { affected: readNvdAffected(cve.configurations).map(closeBranches) }),
  }
}

/**
 * They repeat the ends of a CNA without beginnings: 128.3 is fixed beside "before 131" (CVE-2024-9400, CVE-2024-47875). If
 * editions or systems differ in their ends, no branch is closed: a fix of one may be open in another.
 */
const closeBranches = ({ ranges, ...name }: AffectedProduct): AffectedProduct => {
  const bounded = ranges.flatMap((range) => (typeof range !== 'string' && 'cpe' in range ? [range] : []))
  const closed = [...Map.groupBy(bounded, ({ cpe }) => cpe).values()].map(listClosed)
  const isSame = new Set(closed.map((own) => JSON.stringify(own))).size === 1
  return { ...name, ranges: isSame ? [...ranges, ...(closed[0] ?? [])] : ranges }
}

const listClosed = (ranges: Bounds[]) =>
  listEndedBranches(
    ranges.flatMap(({ ge, gt, lt }) => (lt !== undefined && (ge ?? gt) === undefined ? [{ order: 'loose', lt }] : [])),
  )
