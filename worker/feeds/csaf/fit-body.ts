import { utf8Length } from '../../db/limits'
import type { BulletinBody } from '../../kb/bulletins/contract'

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
export function fitBody(whole: BulletinBody) {
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
