import * as z from 'zod'
import { parseMember } from '../read/json-text'
import { requireFewEntries } from '../read/part'
import { Justification, listStatements, requireSome, type ReadVex, type VexProposal } from './proposal'

const Ids = z.array(z.string()).optional()
const Product = z.object({
  product_id: z.string(),
  name: z.string().optional(),
  product_identification_helper: z.object({ purl: z.string().optional(), cpe: z.string().optional() }).optional(),
})
type Product = z.output<typeof Product>
type Branch = { product?: Product | undefined; branches?: Branch[] | undefined }
const Branch: z.ZodType<Branch> = z.lazy(() =>
  z.object({ product: Product.optional(), branches: z.array(Branch).optional() }),
)
/**
 * Source: CSAF 2.0, section 3.2.3.9. The list that counts comes last: a part may be safe in one product and affected in another, under
 * one name; fixed builds have names of their own.
 */
const lists = [
  ['known_not_affected', 'not_affected'],
  ['under_investigation', 'under_investigation'],
  ['known_affected', 'affected'],
  ['first_affected', 'affected'],
  ['last_affected', 'affected'],
  ['fixed', 'fixed'],
  ['first_fixed', 'fixed'],
] as const

const Refs = z.object({ product_ids: Ids, group_ids: Ids })
/** A document of several products has a group for each, seldom more. */
const maxGroups = 1_000
const Csaf = z.object({
  document: z.object({ category: z.literal('csaf_vex'), publisher: z.object({ name: z.string() }) }),
  product_tree: z.object({
    full_product_names: z.array(Product).optional(),
    branches: z.array(Branch).optional(),
    relationships: z.array(z.object({ product_reference: z.string(), full_product_name: Product })).optional(),
    product_groups: z
      .array(z.object({ group_id: z.string(), product_ids: z.array(z.string()) }))
      .max(maxGroups)
      .optional(),
  }),
  vulnerabilities: listStatements(
    z.object({
      cve: z.string().optional(),
      ids: z.array(z.object({ text: z.string() })).optional(),
      product_status: z.object({
        known_affected: Ids,
        first_affected: Ids,
        last_affected: Ids,
        known_not_affected: Ids,
        fixed: Ids,
        first_fixed: Ids,
        under_investigation: Ids,
      }),
      flags: z.array(Refs.extend({ label: z.string() })).optional(),
      threats: z.array(Refs.extend({ category: z.string(), details: z.string() })).optional(),
      remediations: z.array(Refs.extend({ category: z.string(), details: z.string() })).optional(),
    }),
  ),
})
type Tree = z.output<typeof Csaf>['product_tree']
type Vulnerability = z.output<typeof Csaf>['vulnerabilities'][number]

const productLists = ['full_product_names', 'branches', 'relationships'] as const
type Listing = Partial<Record<(typeof productLists)[number] | 'product_tree', unknown>>

/** Counted before any of them is read: half a million empty branches would take seconds. */
function requireFewProducts({ product_tree }: Listing) {
  const open = [product_tree]
  for (let count = 0; open.length;) {
    const listing: Listing = Object(open.pop())
    for (const list of productLists.map((name) => listing[name]).filter(Array.isArray)) {
      requireFewEntries((count += list.length), 'product_tree')
      for (const item of list) open.push(item)
    }
  }
}

/** Source: CSAF 2.0, profile 5 (VEX). */
export function readCsafVex(document: unknown): ReadVex {
  requireFewProducts(Object(document))
  const { document: head, product_tree, vulnerabilities } = parseMember(Csaf, document, '')
  requireSome(vulnerabilities.reduce((sum, { product_status }) => sum + Object.values(product_status).flat().length, 0))
  const tree = { names: nameProducts(product_tree), groups: groupsByProduct(product_tree) }
  return { author: head.publisher.name, proposals: vulnerabilities.flatMap((one) => readStatuses(one, tree)) }
}

type Named = { names: Map<string, string[]>; groups: Map<string, string[]> }

function readStatuses({ cve, ids = [], product_status, ...why }: Vulnerability, tree: Named): VexProposal[] {
  const flags = findText(tree, why.flags, ({ label }) => label)
  const impacts = findText(
    tree,
    why.threats?.filter(({ category }) => category === 'impact'),
    ({ details }) => details,
  )
  const actions = findText(tree, why.remediations, ({ details }) => details)
  return lists.flatMap(([list, status]) =>
    (product_status[list] ?? []).map((product) => ({
      vulns: [...(cve ? [cve] : []), ...ids.map(({ text }) => text)],
      products: tree.names.get(product) ?? [],
      status,
      justification: status === 'not_affected' ? (Justification.safeParse(flags(product)).data ?? null) : null,
      note: impacts(product) ?? (status === 'affected' ? actions(product) : undefined) ?? null,
    })),
  )
}

/** Statement on a product by its own id, or by a group that it is in. */
function findText<Said extends z.output<typeof Refs>>(
  { groups }: Named,
  statements: Said[] = [],
  toText: (statement: Said) => string,
) {
  const first = (list: 'product_ids' | 'group_ids') =>
    new Map(statements.toReversed().flatMap((one) => (one[list] ?? []).map((id) => [id, toText(one)] as const)))
  const [byProduct, byGroup] = [first('product_ids'), first('group_ids')]
  return (product: string) => {
    const group = byGroup.size ? groups.get(product)?.find((id) => byGroup.has(id)) : undefined
    return byProduct.get(product) ?? (group === undefined ? undefined : byGroup.get(group))
  }
}

function groupsByProduct({ product_groups = [] }: Tree) {
  const groups = new Map<string, string[]>()
  for (const { group_id, product_ids } of product_groups)
    for (const id of new Set(product_ids)) {
      const known = groups.get(id)
      if (known) known.push(group_id)
      else groups.set(id, [group_id])
    }
  return groups
}

/** Names that can be found again, or else the one that people read. */
function nameProducts({ full_product_names = [], branches = [], relationships = [] }: Tree) {
  const names = new Map<string, string[]>()
  const add = (product: Product) => names.set(product.product_id, identify(product) ?? [nameFor(product)])
  full_product_names.forEach(add)
  const walk = (all: Branch[]) => {
    for (const { product, branches: inner } of all) {
      if (product) add(product)
      if (inner) walk(inner)
    }
  }
  walk(branches)
  // A part of another product is named by itself, or by the part.
  for (const { product_reference, full_product_name: whole } of relationships)
    names.set(whole.product_id, identify(whole) ?? names.get(product_reference) ?? [nameFor(whole)])
  return names
}

const nameFor = ({ product_id, name }: Product) => name ?? product_id

function identify({ product_identification_helper: helper }: Product) {
  const found = [helper?.purl, helper?.cpe].flatMap((name) => name ?? [])
  return found.length ? found : undefined
}
