import { utf8Length } from '../../db/limits'
import type { BulletinBody } from '../../kb/bulletins/contract'
import type { CsafDocument, CsafVulnerability } from './document'
import { readProducts } from './products'

const maxBytes = 60_000

type Vuln = BulletinBody['vulns'][number]

const statusByName = new Map<string, Vuln['statuses'][number]['status']>([
  ['known_affected', 'affected'],
  ['first_affected', 'affected'],
  ['last_affected', 'affected'],
  ['fixed', 'fixed'],
  ['first_fixed', 'fixed'],
  ['known_not_affected', 'not_affected'],
  ['under_investigation', 'under_investigation'],
  ['recommended', 'recommended'],
])

/** At most about 60 kB; each product and remedy stands once. */
export function toBody(csaf: CsafDocument): BulletinBody {
  const { category, publisher, tracking, notes, references } = csaf.document
  const { products, placeOf } = placedProducts(csaf)
  const vulns = csaf.vulnerabilities.map((one) => readVuln(one, placeOf)).toSorted(byScore)
  return fitting({
    category,
    publisher: publisher.name,
    status: tracking.status,
    version: tracking.version,
    notes: joinedNotes(notes),
    products,
    products_count: products.length,
    vulns,
    vulns_count: vulns.length,
    remediations: readRemediations(csaf.vulnerabilities, placeOf),
    references: references
      .filter(({ url }) => isLink(url))
      .map(({ summary, url }) => ({ summary: summary || url, url })),
  })
}

// Highest first: a long document is cut at its end.
const byScore = (a: Vuln, b: Vuln) => (b.cvss?.score ?? -1) - (a.cvss?.score ?? -1)

export const isLink = (url: string) => /^https?:\/\//i.test(url)

// One package for five architectures is one product here.
function placedProducts(csaf: CsafDocument) {
  const products: BulletinBody['products'] = []
  const places = new Map<string, number>()
  const placeByKey = new Map<string, number>()
  const mentioned = new Set(csaf.vulnerabilities.flatMap(({ product_status }) => Object.values(product_status).flat()))
  for (const [id, product] of readProducts(csaf)) {
    if (mentioned.size > 0 && !mentioned.has(id)) continue
    const name = JSON.stringify(product)
    const place = places.get(name) ?? products.push(product) - 1
    places.set(name, place)
    placeByKey.set(id, place)
  }
  return { products, placeOf: placeByKey }
}

type Places = Map<string, number>
const findPlaces = (ids: string[], placeOf: Places) => [...new Set(ids.flatMap((id) => placeOf.get(id) ?? []))]

/** A title that only repeats the CVE id tells nothing. */
function findTitle({ title, cve, ids }: CsafVulnerability) {
  if (title && title !== cve) return title
  return cve ? null : (ids[0]?.text ?? null)
}

function readVuln(vuln: CsafVulnerability, placeOf: Places): Vuln {
  const byStatus = new Map<Vuln['statuses'][number]['status'], string[]>()
  for (const [name, ids] of Object.entries(vuln.product_status)) {
    const status = statusByName.get(name)
    if (status) byStatus.set(status, [...(byStatus.get(status) ?? []), ...ids])
  }
  return {
    cveid: vuln.cve ?? null,
    title: findTitle(vuln),
    cwe_id: vuln.cwe?.id ?? null,
    cvss: highestCvss(vuln),
    impact: vuln.threats.find(({ category }) => category === 'impact')?.details ?? null,
    note: vuln.notes.find(({ category }) => category === 'description' || category === 'summary')?.text ?? null,
    statuses: [...byStatus].map(([status, ids]) => {
      const products = findPlaces(ids, placeOf)
      return { status, products, count: products.length }
    }),
    justifications: [...new Set(vuln.flags.map(({ label }) => label))],
  }
}

export function highestCvss({ scores }: CsafVulnerability): Vuln['cvss'] {
  for (const version of [4, 3, 2] as const) {
    const metrics = scores.flatMap((score) => score[`cvss_v${version}`] ?? [])
    const [first, ...others] = metrics
    if (!first) continue
    const { baseScore, vectorString } = others.reduce((a, b) => (b.baseScore > a.baseScore ? b : a), first)
    return { version, score: baseScore, vector: vectorString }
  }
  return null
}

// Advisories repeat a remedy for each of their vulnerabilities.
function readRemediations(vulns: CsafVulnerability[], placeOf: Places) {
  const remedies = new Map<string, BulletinBody['remediations'][number]>()
  for (const { cve, remediations } of vulns)
    for (const { category, details, url, product_ids } of remediations) {
      const link = url && isLink(url) ? url : null
      const known = remedies.get(`${category} ${link} ${details}`)
      const remedy = known ?? { category, details, url: link, cveids: [], products: [] }
      if (cve && !remedy.cveids.includes(cve)) remedy.cveids.push(cve)
      remedy.products = [...new Set([...remedy.products, ...findPlaces(product_ids, placeOf)])]
      remedies.set(`${category} ${link} ${details}`, remedy)
    }
  const all = new Set(vulns.flatMap(({ cve }) => cve ?? [])).size
  return [...remedies.values()].map((remedy) => (remedy.cveids.length === all ? { ...remedy, cveids: [] } : remedy))
}

// A publisher may write each paragraph as a note of its own. Legal notes are left out: the source has them.
function joinedNotes(notes: CsafDocument['document']['notes']) {
  const joined = new Map<string, BulletinBody['notes'][number]>()
  for (const { category, title = null, text } of notes) {
    if (category === 'legal_disclaimer') continue
    const known = joined.get(`${category} ${title}`)
    joined.set(`${category} ${title}`, { category, title, text: known ? `${known.text}\n${text}` : text })
  }
  return [...joined.values()]
}

const cuts: ((body: BulletinBody) => BulletinBody)[] = [
  (body) => withTexts(body, 2_000),
  (body) => withProducts(body, 200),
  (body) => withTexts(body, 300),
  (body) => withProducts(body, 50),
  (body) => ({ ...body, vulns: body.vulns.map((vuln, at) => (at < 30 ? vuln : { ...vuln, note: null })) }),
  (body) => ({ ...body, notes: body.notes.slice(0, 10), references: body.references.slice(0, 20) }),
  (body) => ({ ...body, remediations: body.remediations.slice(0, 30) }),
  withFittingVulns,
]

function fitting(whole: BulletinBody) {
  let body = whole
  for (const cut of cuts) {
    if (measure(body) <= maxBytes) return body
    body = cut(body)
  }
  return body
}

function withFittingVulns(body: BulletinBody): BulletinBody {
  let left = maxBytes - measure({ ...body, vulns: [] })
  const first = body.vulns.findIndex((vuln) => (left -= measure(vuln) + 1) < 0)
  return { ...body, vulns: first === -1 ? body.vulns : body.vulns.slice(0, first) }
}

const measure = (value: unknown) => utf8Length(JSON.stringify(value))

function withTexts(body: BulletinBody, length: number): BulletinBody {
  const short = (text: string) => (text.length > length ? `${text.slice(0, length)} …` : text)
  return {
    ...body,
    notes: body.notes.map((note) => ({ ...note, text: short(note.text) })),
    vulns: body.vulns.map((vuln) => ({ ...vuln, note: vuln.note && short(vuln.note) })),
    remediations: body.remediations.map((remedy) => ({ ...remedy, details: short(remedy.details) })),
  }
}

function withProducts(body: BulletinBody, length: number): BulletinBody {
  const keepPlaces = (places: number[]) => places.filter((place) => place < length)
  return {
    ...body,
    products: body.products.slice(0, length),
    vulns: body.vulns.map((vuln) => ({
      ...vuln,
      statuses: vuln.statuses.map((one) => ({ ...one, products: keepPlaces(one.products) })),
    })),
    remediations: body.remediations.map((remedy) => ({ ...remedy, products: keepPlaces(remedy.products) })),
  }
}
