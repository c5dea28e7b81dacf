import { definitionOf } from './fields'
import type { Field, FieldKind, Operator } from './fields'

// The attributes as the API spells them, by what they ask.
export const textParams = [
  'cveid',
  'summary',
  'cvss_vector',
  'cvss3_vector',
  'vendor_name',
  'product_name',
  'package_name',
] as const
export const numberParams = ['score', 'cvss', 'cvss3', 'cvss4', 'epss', 'exploit_count'] as const
export const dateParams = ['published', 'updated_at'] as const
export const flagParams = [
  'is_exploitable',
  'is_confirmed',
  'is_in_the_news',
  'is_in_the_wild',
  'monitored',
  'kev',
] as const
export const idParams = ['vendor', 'product', 'package'] as const
export const wordParams = [
  'cwe_id',
  'cpe',
  'status',
  'access_vector',
  'access_complexity',
  'access_authentication',
  'impact_confidentiality',
  'impact_integrity',
  'impact_availability',
] as const

export const textLookups = ['', '__exact', '__contains', '__icontains'] as const
export const orderLookups = ['', '__exact', '__gt', '__gte', '__lt', '__lte'] as const
export const dateLookups = [
  ...orderLookups,
  '__date',
  '__date__gt',
  '__date__gte',
  '__date__lt',
  '__date__lte',
] as const

type Attribute =
  | (typeof textParams)[number]
  | (typeof numberParams)[number]
  | (typeof dateParams)[number]
  | (typeof flagParams)[number]
  | (typeof idParams)[number]
  | (typeof wordParams)[number]

// In the API `vendor` is a number and `vendor_name` its name; a query means the name.
const renamed: Partial<Record<Attribute, Field>> = {
  vendor_name: 'vendor',
  product_name: 'product',
  package_name: 'package',
  vendor: 'vendor_id',
  product: 'product_id',
  package: 'package_id',
  updated_at: 'updated',
  is_exploitable: 'exploitable',
  is_confirmed: 'confirmed',
  is_in_the_news: 'news',
  is_in_the_wild: 'wild',
  cwe_id: 'cwe',
}
const attributes = [textParams, numberParams, dateParams, flagParams, idParams, wordParams].flatMap(
  (names): Attribute[] => [...names],
)

const operatorOf: Record<string, Operator> = {
  '': 'eq',
  __exact: 'eq',
  __contains: 'match',
  __icontains: 'like',
  __gt: 'gt',
  __gte: 'gte',
  __lt: 'lt',
  __lte: 'lte',
}

const lookupsOf: Record<FieldKind, readonly string[]> = {
  text: textLookups,
  number: orderLookups,
  date: dateLookups,
  flag: [''],
  choice: [''],
  id: [''],
  key: [''],
}

/** Each parameter of the list, `score__gte` or `published__date__lt`, with the comparison that it means. */
export const params = new Map(
  attributes.flatMap((attribute) => {
    const field = renamed[attribute] ?? (attribute as Field)
    return lookupsOf[definitionOf(field).kind].map((lookup): [string, { field: Field; op: Operator }] => [
      attribute + lookup,
      { field, op: operatorOf[lookup.replace('__date', '')] ?? 'eq' },
    ])
  }),
)
