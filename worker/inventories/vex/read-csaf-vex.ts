import { z } from 'zod'
import { parseMember } from '../read/json-text'
import { Justification } from './proposal'
import type { ReadVex, VexProposal } from './proposal'

const Ids = z.array(z.string()).optional()
const Product = z.object({
  product_id: z.string(),
  product_identification_helper: z.object({ purl: z.string().optional(), cpe: z.string().optional() }).optional(),
})
type Branch = { product?: z.output<typeof Product> | undefined; branches?: Branch[] | undefined }
const Branch: z.ZodType<Branch> = z.lazy(() =>
  z.object({ product: Product.optional(), branches: z.array(Branch).optional() }),
)
const Csaf = z.object({
  document: z.object({ category: z.literal('csaf_vex'), publisher: z.object({ name: z.string() }) }),
  product_tree: z.object({
    full_product_names: z.array(Product).optional(),
    branches: z.array(Branch).optional(),
    relationships: z.array(z.object({ product_reference: z.string(), full_product_name: Product })).optional(),
  }),
  vulnerabilities: z.array(
    z.object({
      cve: z.string().optional(),
      ids: z.array(z.object({ text: z.string() })).optional(),
      product_status: z.object({ known_affected: Ids, known_not_affected: Ids, fixed: Ids, under_investigation: Ids }),
      flags: z.array(z.object({ label: z.string(), product_ids: Ids })).optional(),
      threats: z.array(z.object({ category: z.string(), details: z.string(), product_ids: Ids })).optional(),
    }),
  ),
})
type Tree = z.output<typeof Csaf>['product_tree']
type Vulnerability = z.output<typeof Csaf>['vulnerabilities'][number]

const lists = [
  ['known_affected', 'affected'],
  ['known_not_affected', 'not_affected'],
  ['fixed', 'fixed'],
  ['under_investigation', 'under_investigation'],
] as const

/** Source: CSAF 2.0, profile 5 (VEX). */
export function readCsafVex(document: unknown): ReadVex {
  const { document: head, product_tree, vulnerabilities } = parseMember(Csaf, document, '')
  const names = nameProducts(product_tree)
  return { author: head.publisher.name, proposals: vulnerabilities.flatMap((one) => readStatuses(one, names)) }
}

function readStatuses(
  { cve, ids, product_status, ...why }: Vulnerability,
  names: Map<string, string[]>,
): VexProposal[] {
  const flags = why.flags ?? []
  const impacts = (why.threats ?? []).filter(({ category }) => category === 'impact')
  return lists.flatMap(([list, status]) =>
    (product_status[list] ?? []).map((product) => {
      const isAbout = (one: { product_ids?: string[] | undefined }) => one.product_ids?.includes(product)
      return {
        vuln: cve ?? ids?.[0]?.text ?? '',
        products: names.get(product) ?? [],
        status,
        justification: Justification.safeParse(flags.find(isAbout)?.label).data ?? null,
        note: impacts.find(isAbout)?.details ?? null,
      }
    }),
  )
}

function nameProducts({ full_product_names = [], branches = [], relationships = [] }: Tree) {
  const names = new Map<string, string[]>()
  const add = ({ product_id, product_identification_helper: helper }: z.output<typeof Product>) =>
    names.set(
      product_id,
      [helper?.purl, helper?.cpe].flatMap((name) => name ?? []),
    )
  full_product_names.forEach(add)
  const walk = (all: Branch[]) => {
    for (const { product, branches: inner } of all) {
      if (product) add(product)
      if (inner) walk(inner)
    }
  }
  walk(branches)
  // A part of another product is named by itself, or by the part.
  for (const { product_reference, full_product_name } of relationships) {
    add(full_product_name)
    if (!names.get(full_product_name.product_id)?.length)
      names.set(full_product_name.product_id, names.get(product_reference) ?? [])
  }
  return names
}
