import * as z from 'zod'
import {
  accessAuthentications,
  accessComplexities,
  accessVectors,
  impactLevels,
  parseVector,
  vectorProblem,
} from '../domain/scores/cvss'
import { isCveId } from '../domain/names/cve'
import { NameText } from '../domain/people/name'
import { scopes } from '../domain/words/exploit'
import { endpoint } from '../http/endpoint'
import { Flag, Id, IdParams, listSchema, When } from '../http/fields'

/** A list, or one text with lines or commas between the values. */
const maxValues = 200
const Values = z
  .union([z.string().max(100_000), z.array(z.string().max(2_000))])
  .default([])
  .transform((fields) => {
    const texts = typeof fields === 'string' ? fields.split(/[\r\n,]+/) : fields
    return [...new Set(texts.map((text) => text.trim()).filter(Boolean))]
  })
  .refine((values) => values.length <= maxValues, `At most ${maxValues} values`)

const empty = (value: unknown) => (value === '' ? undefined : value)
const optional = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(empty, schema.nullish())

const vectorField = (version: '2.0' | '3' | '4.0') =>
  optional(
    z
      .string()
      .trim()
      .max(500)
      .refine((text) => parseVector(text)?.version.startsWith(version), {
        error: ({ input }) => notAVector(version, String(input)),
      }),
  )
const notAVector = (version: string, text: string) => {
  const problem = vectorProblem(text) ?? 'it is of another version'
  return `Not a CVSS ${version} vector: ${text.slice(0, 80)} (${problem})`
}
const Base = optional(z.coerce.number<number | string>().min(0, 'From 0 to 10').max(10, 'From 0 to 10'))
const WebLink = z.url({
  protocol: /^https?$/,
  error: ({ input }) => `Not a web address: ${String(input).slice(0, 80)}`,
})

const ProductText = NameText.min(1).max(500)

/** A product by its id, by `vendor:product`, by a name that only one product has, or as a row of a list. */
const ProductChoice = z.union([
  Id.transform((id) => ({ id })),
  ProductText.transform((text) => {
    const at = text.indexOf(':')
    return at < 1 ? { vendor: undefined, name: text } : { vendor: text.slice(0, at), name: text.slice(at + 1) }
  }),
  z.object({ id: Id }).transform(({ id }) => ({ id })),
  z.object({ vendor: ProductText.optional(), name: ProductText }),
  z
    .object({ vendor_name: ProductText.optional(), product_name: ProductText })
    .transform(({ vendor_name, product_name }) => ({ vendor: vendor_name, name: product_name })),
])
export type ProductChoice = z.output<typeof ProductChoice>

export const VulnForm = z.object({
  cve_id: optional(z.string().trim().toUpperCase().refine(isCveId, 'Must be a CVE id, as CVE-2026-12345')),
  summary: z.string().trim().min(1, 'A summary is required').max(20_000),
  published: optional(When),
  cvss2: Base,
  cvss2_vector: vectorField('2.0'),
  cvss3: Base,
  cvss3_vector: vectorField('3'),
  cwe: optional(
    z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^CWE-\d{1,6}$/, 'Must be a weakness, as CWE-79'),
  ),
  access_authentication: z.enum(accessAuthentications).default('NONE'),
  access_complexity: z.enum(accessComplexities).default('LOW'),
  access_vector: z.enum(accessVectors).default('LOCAL'),
  impact_availability: z.enum(impactLevels).default('NONE'),
  impact_confidentiality: z.enum(impactLevels).default('NONE'),
  impact_integrity: z.enum(impactLevels).default('NONE'),
  references: Values.pipe(z.array(WebLink)),
  cpes: Values,
  /** All versions of these products are affected. */
  products: listSchema(ProductChoice, { max: maxValues }).default([]),
  monitored: Flag.default(false),
  is_exploitable: Flag.default(false),
  is_confirmed: Flag.default(false),
  is_in_the_news: Flag.default(false),
  is_in_the_wild: Flag.default(false),
})
export type VulnForm = z.output<typeof VulnForm>
export type VulnFormInput = z.input<typeof VulnForm>

/** Without a scope, a vulnerability added by a global admin is public; by anybody else it is private always. */
const AddForm = VulnForm.extend({ scope: z.enum(scopes).optional() })
export type AddForm = z.output<typeof AddForm>
export type AddFormInput = z.input<typeof AddForm>

const Saved = z.object({ status: z.literal('success'), id: z.int() })

export const addVuln = endpoint({
  method: 'POST',
  path: '/api/vulns/add',
  access: 'manageMetadata',
  summary: 'Add a vulnerability: for everybody by a global admin, else for the own organization',
  body: AddForm,
  reply: Saved,
})

/** Specification 2, section 7: the answer to an edit of no vulnerability. */
export const nothingEdited = 'Not implemented.'
const isOfNone = (body: unknown) => typeof body === 'object' && body !== null && 'id' in body && body.id === ''

export const editVuln = endpoint({
  method: 'POST',
  path: '/api/vulns/edit',
  access: 'manageMetadata',
  summary: 'Change a vulnerability that one may change',
  body: z.preprocess(
    (body) => (isOfNone(body) ? { id: '', summary: 'None' } : body),
    VulnForm.extend({
      id: z.union([Id, z.literal('')]),
      /** `version` as the form read it: the call fails if somebody else edited since. Without it the last writer wins. */
      version: z.string().max(100).nullish(),
    }),
  ),
  reply: z.union([Saved, z.literal(nothingEdited)]),
})

export const editableVuln = endpoint({
  path: '/api/vulns/:id/edit',
  access: 'manageMetadata',
  summary: 'A vulnerability as the form shows it',
  params: IdParams,
  reply: z.object({
    id: z.int(),
    version: z.string().nullable(),
    form: z.record(z.string(), z.unknown()),
    products: z.array(z.object({ id: z.int(), vendor: z.string(), name: z.string() })),
  }),
})
