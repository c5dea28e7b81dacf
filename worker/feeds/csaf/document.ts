import * as z from 'zod'
import { cveIdPattern } from '../../domain/names/cve'
import { plainText } from '../../domain/words/plain-text'
import { lenient } from '../source/fields'

const Texts = z.array(z.string()).default([])
const Prose = z.string().transform(plainText)
const Note = z.object({ category: z.string(), title: z.string().optional(), text: Prose })
const Reference = z.object({ category: z.string().optional(), summary: z.string().default(''), url: z.string() })
const Product = z.object({ product_id: z.string(), name: z.string() })
const Acknowledgment = z.object({
  names: Texts,
  organization: z.string().default(''),
  summary: z.string().default(''),
})

const Branch = z.object({
  category: z.string(),
  name: z.string(),
  product: Product.optional(),
  get branches() {
    return z.array(Branch).default([])
  },
})
export type Branch = z.output<typeof Branch>

const Relationship = z.object({
  product_reference: z.string(),
  relates_to_product_reference: z.string(),
  full_product_name: Product,
})

/** A score that breaks the rules is dropped, not its document. */
const Cvss = lenient(z.object({ baseScore: z.number().min(0).max(10), vectorString: z.string().default('') }))

/** The products that a statement is about, by their own ids and by those of their groups; about all where both are empty. */
const About = z.object({ product_ids: Texts, group_ids: Texts })
export type About = z.output<typeof About>

const Scores = z.object({ cvss_v2: Cvss, cvss_v3: Cvss, cvss_v4: Cvss })

/** CSAF 2.1 has `cwes` and `metrics` where 2.0 has `cwe` and `scores`. */
const Vulnerability = z.object({
  cve: lenient(z.string().regex(cveIdPattern)),
  ids: z.array(z.object({ text: z.string() })).default([]),
  title: z.string().optional(),
  cwe: z.object({ id: z.string() }).optional(),
  cwes: z.array(z.object({ id: z.string() })).default([]),
  notes: z.array(Note).default([]),
  references: z.array(Reference).default([]),
  acknowledgments: z.array(Acknowledgment).default([]),
  product_status: z.record(z.string(), z.array(z.string())).default({}),
  scores: z.array(Scores).default([]),
  metrics: z.array(z.object({ content: Scores })).default([]),
  threats: z.array(About.extend({ category: z.string(), details: z.string() })).default([]),
  flags: z.array(About.extend({ label: z.string() })).default([]),
  remediations: z
    .array(
      About.extend({
        category: z.string(),
        details: Prose,
        url: z.string().optional(),
        restart_required: z.object({ category: z.string() }).optional(),
      }),
    )
    .default([]),
})
export type CsafVulnerability = z.output<typeof Vulnerability>

export const CsafDocument = z.object({
  document: z.object({
    category: z.string(),
    title: z.string().min(1).transform(plainText),
    publisher: z.object({ category: z.string(), name: z.string(), namespace: z.string() }),
    tracking: z.object({
      id: z.string().min(1).max(200),
      status: z.string(),
      version: z.string(),
      initial_release_date: z.string(),
      current_release_date: z.string(),
    }),
    distribution: z.object({ tlp: z.object({ label: z.string() }).optional() }).optional(),
    aggregate_severity: z.object({ text: z.string() }).optional(),
    acknowledgments: z.array(Acknowledgment).default([]),
    notes: z.array(Note).default([]),
    references: z.array(Reference).default([]),
  }),
  product_tree: z
    .object({
      branches: z.array(Branch).default([]),
      full_product_names: z.array(Product).default([]),
      product_groups: z.array(z.object({ group_id: z.string(), product_ids: Texts })).default([]),
      relationships: z.array(Relationship).default([]),
    })
    .optional(),
  vulnerabilities: z.array(Vulnerability).default([]),
})
export type CsafDocument = z.output<typeof CsafDocument>

/** TLP:WHITE, CLEAR in TLP 2.0, or none, which means WHITE (CSAF 2.0, 3.2.1.5). */
export function isPublic({ document }: CsafDocument) {
  const label = document.distribution?.tlp?.label.toUpperCase()
  return label === undefined || label === 'WHITE' || label === 'CLEAR'
}

export const isLink = (url: string) => /^https?:\/\//i.test(url)
