import * as z from 'zod'
import { parsePurl } from '../../domain/names/purl'
import { asAuthor, asWritten, maxNote } from '../../inventories/vex/proposal'
import { namesIn, noteIn, OpenvexStatement } from '../../inventories/vex/read-openvex'

/** Source: the specification of VEX repositories, version 0.1. */
export const HubManifest = z.object({
  name: z.string().min(1).max(100),
  versions: z.array(z.object({ spec_version: z.string() })).max(100),
})

const locationPart = /^(?!\.{1,2}$)[^\\/:?#\p{Cc}]+$/u
/** A product as documents keep them. */
export const formatProduct = ({ type, name }: { type: string; name: string }) => JSON.stringify([type, name])

export const HubPackage = z.object({
  id: z.string().transform((id, context) => {
    const purl = parsePurl(id)
    if (purl) return formatProduct(purl)
    context.addIssue('not a purl')
    return z.NEVER
  }),
  location: z
    .string()
    .max(500)
    .refine((path) => path.split('/').every((part) => locationPart.test(part)), 'leads out of the hub'),
  format: z.literal('openvex', 'only OpenVEX is read').optional(),
})

export const HubDocument = z.object({
  '@context': z.string().startsWith('https://openvex.dev/ns', 'must be that of OpenVEX'),
  author: z.string().min(1).transform(asAuthor),
  timestamp: z.string().optional(),
})

const most = { names: 20, products: 1_000, parts: 1_000 }

/** A part without a purl cannot be found; a product of which only such parts are meant is left out, because it is not meant as a whole. */
export const HubStatement = OpenvexStatement.transform(({ vulnerability, timestamp, products = [], ...said }) => ({
  vulns: [...new Set([vulnerability.name, ...(vulnerability.aliases ?? [])].map(asWritten))],
  at: timestamp,
  products: products.flatMap(({ subcomponents = [], ...named }) => {
    const purl = findPurl(named)
    const parts = [...new Set(subcomponents.flatMap((part) => findPurl(part) ?? []))]
    return purl && (parts.length || !subcomponents.length) ? [{ purl, parts }] : []
  }),
  status: said.status,
  justification: said.status === 'not_affected' ? (said.justification ?? null) : null,
  note: noteIn(said as z.output<typeof OpenvexStatement>)?.slice(0, maxNote) ?? null,
}))
  .refine(({ products }) => products.length, 'names no product by a purl')
  .refine(({ vulns }) => vulns.length <= most.names && vulns.every((one) => one !== '' && one.length <= 100), {
    message: 'names of the vulnerability are too many, or too long',
  })
  .refine(
    ({ products }) => products.length <= most.products && products.every(({ parts }) => parts.length <= most.parts),
    'speaks of too many products',
  )

export type HubStatement = z.output<typeof HubStatement>

const findPurl = (named: Parameters<typeof namesIn>[0]) => namesIn(named).find((name) => parsePurl(name) !== null)

/** A time with a fraction of any length, or an offset, as our own. */
export function readMoment(text: string | undefined) {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? null : `${new Date(at).toISOString().slice(0, 19)}Z`
}

type Said = { location: string; author: string; timestamp: string | undefined }

export type StatementRow = [
  type: string,
  name: string,
  vuln: string,
  location: string,
  place: number,
  ...(string | null)[],
]

/** A row of `vex_statements` for each product and name, in the order of the table's columns. */
export function toRows(statements: HubStatement[], { location, author, timestamp }: Said) {
  const places = new Map<string, number>()
  const seen = new Set<string>()
  const rows: StatementRow[] = []
  for (const { vulns, at, products, status, justification, note } of statements)
    for (const { purl, parts } of products) {
      const known = parsePurl(purl)
      const said = [purl, JSON.stringify(vulns), JSON.stringify(parts), status, justification, note, author]
      const values = [...said, readMoment(at ?? timestamp)]
      const same = JSON.stringify(values)
      if (!known || seen.has(same)) continue
      seen.add(same)
      for (const vuln of vulns) {
        const key = JSON.stringify([known.type, known.name, vuln])
        const place = places.get(key) ?? 0
        places.set(key, place + 1)
        rows.push([known.type, known.name, vuln, location, place, ...values])
      }
    }
  return rows
}
