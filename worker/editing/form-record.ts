import { cpeTail, parseCpe } from '../domain/names/cpe'
import { v2Letters, writeV2Vector } from '../domain/scores/cvss'
import { computeCvssScore } from '../domain/scores/cvss-score'
import type { AffectedProduct, CvssMetric, VulnRecord } from '../domain/words/record'
import { invalid } from '../http/errors'
import type { VulnForm } from './contract'

const by = 'manual'
/**
 * The form as a record. CVSS 2 comes from its vector, else from access and impact, unless there is no impact at all,
 * or they repeat the vector of CVSS 3, as the page of a vulnerability shows them.
 */
export function formRecord(cveid: string, form: VulnForm, products: { vendor: string; name: string }[]): VulnRecord {
  const cvss = toMetric(form.cvss2_vector ?? formVector(form), form.cvss2)
  const cvss3 = toMetric(form.cvss3_vector, form.cvss3)
  const { is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild } = form
  return {
    cveid,
    state: 'published',
    summary: form.summary,
    ...(form.published && { published: toStamp(form.published) }),
    ...(cvss && { cvss }),
    ...(cvss3 && { cvss3 }),
    ...(form.cwe && { cwe_ids: [form.cwe] }),
    references: form.references.map((url) => ({ url, tags: [] })),
    flags: { is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild },
    affected: toAffected(form.cpes, products),
  }
}

const toStamp = (when: string) =>
  when.length === 10 ? `${when}T00:00:00Z` : `${when.slice(0, 19).replace(/Z?$/, '')}Z`

// A vector determines its score; a score may also stand alone.
function toMetric(vector: string | null | undefined, score: number | null | undefined): CvssMetric | undefined {
  const scored = vector ? computeCvssScore(vector) : null
  if (vector && scored !== null) return { score: scored, vector, by }
  return score === null || score === undefined ? undefined : { score, vector: '', by }
}

function formVector(form: VulnForm) {
  const vector = writeV2Vector(form)
  return vector === v2Letters(form.cvss3_vector ?? '') ? null : vector
}

export function toAffected(cpes: string[], products: { vendor: string; name: string }[]): AffectedProduct[] {
  const byName = new Map<string, AffectedProduct>()
  const add = (vendor: string, product: string, range: string) => {
    const named = byName.get(`${vendor}:${product}`) ?? { vendor, product, ranges: [] }
    byName.set(`${vendor}:${product}`, named)
    if (!named.ranges.includes(range)) named.ranges.push(range)
  }
  const wrong: string[] = []
  for (const text of cpes) {
    const cpe = parseCpe(text)
    if (!cpe || cpe.vendor === '*' || cpe.product === '*') wrong.push(text)
    else add(cpe.vendor, cpe.product, cpeTail(cpe))
  }
  if (wrong.length) throw invalid([{ path: ['cpes'], message: `Not a CPE name: ${wrong[0]?.slice(0, 120)}` }])
  for (const { vendor, name } of products) if (!byName.has(`${vendor}:${name}`)) add(vendor, name, 'a')
  return [...byName.values()]
}
