import { utf8Length } from '../../db/limits'
import type { BulletinBody } from '../../kb/bulletins/contract'
import { isLink, type CsafDocument, type CsafVulnerability } from './document'
import { placeProducts, type Placed } from './products'
import { readVuln, findTitle, type Vuln } from './vulnerability'

/** At most about 60 kB; each product and remedy stands once. */
export function toBody(csaf: CsafDocument): BulletinBody {
  const { category, publisher, tracking, notes } = csaf.document
  const placed = placeProducts(csaf)
  const vulns = csaf.vulnerabilities.map((one) => readVuln(one, placed)).toSorted(byScore)
  const remediations = readRemediations(csaf.vulnerabilities, placed)
  return fitBody({
    category,
    publisher: publisher.name,
    status: tracking.status,
    version: tracking.version,
    notes: joinedNotes(notes),
    products: placed.products,
    products_count: placed.products.length,
    vulns,
    vulns_count: vulns.length,
    remediations,
    remediations_count: remediations.length,
    references: readReferences(csaf),
    acknowledgments: readThanks(csaf),
  })
}

// Highest first: a long document is cut at its end.
const byScore = (a: Vuln, b: Vuln) => (b.cvss?.score ?? -1) - (a.cvss?.score ?? -1)

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

/** Pages that every CVE has, which each of its places here leads to, and calculators of CVSS. */
const everywhere =
  /^https?:\/\/(?:www\.)?(?:cve\.org\/CVERecord|nvd\.nist\.gov\/vuln\/detail|cve\.mitre\.org|web\.nvd\.nist\.gov\/view\/vuln|cwe\.mitre\.org|first\.org\/cvss)/i

function readReferences({ document, vulnerabilities }: CsafDocument) {
  const own = document.references.filter(({ url }) => isLink(url))
  const others = vulnerabilities.flatMap(({ references }) => references)
  const byUrl = new Map(own.map((one) => [one.url, one]))
  for (const one of others)
    if (isLink(one.url) && !everywhere.test(one.url) && !byUrl.has(one.url)) byUrl.set(one.url, one)
  return [...byUrl.values()].map(({ summary, url }) => ({ summary: summary || url, url }))
}

/** "Jane Doe, John Doe (Acme): reporting it", once each. */
function readThanks({ document, vulnerabilities }: CsafDocument) {
  const all = [...document.acknowledgments, ...vulnerabilities.flatMap(({ acknowledgments }) => acknowledgments)]
  const texts = all.map(({ names, organization, summary }) => {
    const people = names.filter(Boolean).join(', ')
    const whom = people && organization ? `${people} (${organization})` : people || organization
    return [whom, summary].filter(Boolean).join(': ')
  })
  return [...new Set(texts)].filter(Boolean)
}

type Remedy = BulletinBody['remediations'][number]

/** Advisories repeat a remedy for each of their vulnerabilities: where it is for the same products, it stands once. */
function readRemediations(vulns: CsafVulnerability[], { findAbout }: Placed): Remedy[] {
  const remedies = new Map<string, Remedy & { vulns: Set<CsafVulnerability> }>()
  for (const vuln of vulns)
    for (const { category, details, url, restart_required, ...about } of vuln.remediations) {
      const said = {
        category,
        details,
        url: url && isLink(url) ? url : null,
        restart: readRestart(restart_required?.category),
        ...findAbout(about),
      }
      const key = JSON.stringify(said)
      const remedy = remedies.get(key) ?? { ...said, cveids: [], vulns: new Set() }
      remedy.vulns.add(vuln)
      remedies.set(key, remedy)
    }
  return [...remedies.values()].map(({ vulns: own, ...remedy }) => ({
    ...remedy,
    cveids: own.size === vulns.length ? [] : [...new Set([...own].map(nameVuln))],
  }))
}

const nameVuln = (vuln: CsafVulnerability) => vuln.cve ?? findTitle(vuln) ?? 'a vulnerability without an id'

const readRestart = (what: string | undefined) => (what === undefined || what === 'none' ? null : what)

const maxBytes = 60_000
/** Browsers and servers take no longer ones. */
const maxUrl = 2_000

const cuts: ((body: BulletinBody) => BulletinBody)[] = [
  (body) => withTexts(body, 2_000),
  (body) => withProducts(body, 200),
  (body) => withTexts(body, 300),
  (body) => withProducts(body, 50),
  (body) => withDetails(body, 30),
  (body) => ({
    ...body,
    notes: body.notes.slice(0, 10),
    references: body.references.slice(0, 20),
    acknowledgments: body.acknowledgments.slice(0, 10),
  }),
  (body) => ({ ...body, remediations: body.remediations.toSorted(byWorth).slice(0, 30) }),
  (body) => withProducts(body, 20),
  (body) => withDetails(body, 10),
  (body) => ({ ...body, remediations: takeFitting(body.remediations, maxBytes / 3) }),
  (body) => ({ ...body, vulns: takeFitting(body.vulns, maxBytes - measure({ ...body, vulns: [] })) }),
]

/** A body of at most about 60 kB, which tells how much there was. Throws for one that is larger without all that repeats. */
function fitBody(whole: BulletinBody) {
  let body = withNames(whole, 500)
  for (const cut of cuts) {
    if (measure(body) <= maxBytes) return body
    body = cut(body)
  }
  if (measure(body) > maxBytes) throw new Error(`Its texts are longer than ${maxBytes} bytes`)
  return body
}

// Whether there is a fix matters more than how to do without.
const byWorth = (a: { category: string }, b: { category: string }) => Number(isAdvice(a)) - Number(isAdvice(b))
const isAdvice = ({ category }: { category: string }) => category === 'mitigation'

/** The first of a list, up to a number of bytes. */
function takeFitting<One>(list: One[], bytes: number): One[] {
  let left = bytes
  const first = list.findIndex((one) => (left -= measure(one) + 1) < 0)
  return first === -1 ? list : list.slice(0, first)
}

/** No real name or address is as long. */
function withNames(body: BulletinBody, length: number): BulletinBody {
  const short = (text: string) => (text.length > length ? `${text.slice(0, length)} …` : text)
  return {
    ...body,
    publisher: short(body.publisher),
    products: body.products.map(({ vendor, product, version }) => ({
      vendor: short(vendor),
      product: short(product),
      version: short(version),
    })),
    vulns: body.vulns.map((vuln) => ({
      ...vuln,
      title: vuln.title && short(vuln.title),
      impact: vuln.impact && short(vuln.impact),
    })),
    references: body.references
      .filter(({ url }) => url.length <= maxUrl)
      .map(({ summary, url }) => ({ summary: short(summary), url })),
    remediations: body.remediations.map((one) => ({
      ...one,
      url: one.url && one.url.length <= maxUrl ? one.url : null,
    })),
  }
}

const measure = (value: unknown) => utf8Length(JSON.stringify(value))

const withDetails = (body: BulletinBody, length: number): BulletinBody => ({
  ...body,
  vulns: body.vulns.map((vuln, at) => (at < length ? vuln : { ...vuln, note: null, threats: [] })),
})

function withTexts(body: BulletinBody, length: number): BulletinBody {
  const short = (text: string) => (text.length > length ? `${text.slice(0, length)} …` : text)
  const shortDetails = <One extends { details: string }>(one: One) => ({ ...one, details: short(one.details) })
  return {
    ...body,
    notes: body.notes.map((note) => ({ ...note, text: short(note.text) })),
    vulns: body.vulns.map((vuln) => ({
      ...vuln,
      note: vuln.note && short(vuln.note),
      threats: vuln.threats.map(shortDetails),
    })),
    remediations: body.remediations.map(shortDetails),
    acknowledgments: body.acknowledgments.map(short),
  }
}

/** Keeps as many products of each status as there is room for: else all that is left might be those not affected. */
function withProducts(body: BulletinBody, length: number): BulletinBody {
  const placeByOld = new Map(chooseProducts(body, length).map((old, place) => [old, place]))
  const short = <One extends { products: number[] }>(one: One) => ({
    ...one,
    products: one.products.flatMap((place) => placeByOld.get(place) ?? []),
  })
  return {
    ...body,
    products: body.products.filter((_, place) => placeByOld.has(place)),
    vulns: body.vulns.map((vuln) => ({
      ...vuln,
      statuses: vuln.statuses.map(short),
      justifications: vuln.justifications.map(short),
      threats: vuln.threats.map(short),
    })),
    remediations: body.remediations.map(short),
  }
}

function chooseProducts({ products, vulns }: BulletinBody, length: number) {
  const byStatus = new Map<string, Set<number>>()
  for (const { status, products: places } of vulns.flatMap(({ statuses }) => statuses)) {
    const known = byStatus.get(status) ?? new Set()
    for (const place of places) known.add(place)
    byStatus.set(status, known)
  }
  const lists = [...byStatus.values()].map((places) => [...places])
  const longest = Math.max(0, ...lists.map((places) => places.length))
  const chosen = new Set<number>()
  for (let round = 0; round < longest; round++)
    for (const places of lists) {
      const place = places[round]
      if (place !== undefined && chosen.size < length) chosen.add(place)
    }
  const others = [...products.keys()].filter((place) => !chosen.has(place))
  return [...chosen, ...others.slice(0, length - chosen.size)].sort((a, b) => a - b)
}
