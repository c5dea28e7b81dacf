import { accessAuthentications, accessComplexities, accessVectors, impactLevels } from '../cvss'
import { vulnStatuses } from '../status'

/** eq: equals; like: contains, whatever the case; match: contains, minding the case. */
export const operators = ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'match'] as const
export type Operator = (typeof operators)[number]

const equality = ['eq'] as const
const order = ['eq', 'gt', 'gte', 'lt', 'lte'] as const
const likeness = ['eq', 'like', 'match'] as const

/** What may be asked of each kind of field. */
export const operatorsOf = {
  flag: equality,
  choice: equality,
  id: equality,
  /** A number that names a thing: it has no more and no less. */
  key: equality,
  number: order,
  date: order,
  text: likeness,
}
export type FieldKind = keyof typeof operatorsOf

type FieldDefinition = {
  kind: FieldKind
  label: string
  /** Other spellings, that of the API first. */
  aliases?: readonly string[]
  choices?: readonly string[]
  /** What a colon means where it is not "equals". */
  natural?: Operator
  example: string
}

/** Everything a query may ask of a vulnerability; nothing else reaches the database. */
export const fields = {
  cveid: { kind: 'text', label: 'CVE id', aliases: ['cve', 'cve_id'], example: 'CVE-2021-44228' },
  summary: { kind: 'text', label: 'Summary', natural: 'like', example: '"remote code"' },
  vendor: { kind: 'text', label: 'Vendor', aliases: ['vendor_name'], example: 'apache' },
  product: { kind: 'text', label: 'Product', aliases: ['product_name'], example: 'http_server' },
  package: { kind: 'text', label: 'Package', aliases: ['package_name'], example: 'npm:lodash' },
  cpe: { kind: 'id', label: 'CPE', example: '"cpe:2.3:a:openssl:openssl:1.0.1f"' },
  cwe: { kind: 'id', label: 'CWE', aliases: ['cwe_id'], example: 'CWE-79' },
  score: { kind: 'number', label: 'Score', example: '80' },
  cvss: { kind: 'number', label: 'CVSSv2', aliases: ['cvss2'], example: '7.5' },
  cvss3: { kind: 'number', label: 'CVSSv3', example: '9' },
  cvss4: { kind: 'number', label: 'CVSSv4', example: '9' },
  epss: { kind: 'number', label: 'EPSS', example: '0.5' },
  cvss_vector: { kind: 'text', label: 'CVSSv2 vector', natural: 'like', aliases: ['cvss2_vector'], example: 'AV:N' },
  cvss3_vector: { kind: 'text', label: 'CVSSv3 vector', natural: 'like', example: 'PR:N' },
  exploitable: { kind: 'flag', label: 'Exploitable', aliases: ['is_exploitable'], example: '' },
  confirmed: { kind: 'flag', label: 'Confirmed', aliases: ['is_confirmed'], example: '' },
  news: { kind: 'flag', label: 'In the news', aliases: ['is_in_the_news', 'in_the_news'], example: '' },
  wild: { kind: 'flag', label: 'In the wild', aliases: ['is_in_the_wild', 'in_the_wild'], example: '' },
  kev: { kind: 'flag', label: 'In KEV', aliases: ['is_kev'], example: '' },
  monitored: { kind: 'flag', label: 'Monitored', example: '' },
  status: { kind: 'choice', label: 'Status', choices: vulnStatuses, example: 'in_progress' },
  published: { kind: 'date', label: 'Published', example: '30d' },
  updated: { kind: 'date', label: 'Updated', aliases: ['updated_at'], example: '7d' },
  exploit_count: { kind: 'number', label: 'Exploits', aliases: ['exploits'], example: '1' },
  access_vector: { kind: 'choice', label: 'Access vector', choices: accessVectors, example: 'NETWORK' },
  access_complexity: { kind: 'choice', label: 'Access complexity', choices: accessComplexities, example: 'LOW' },
  access_authentication: { kind: 'choice', label: 'Authentication', choices: accessAuthentications, example: 'NONE' },
  impact_confidentiality: {
    kind: 'choice',
    label: 'Confidentiality impact',
    choices: impactLevels,
    example: 'COMPLETE',
  },
  impact_integrity: { kind: 'choice', label: 'Integrity impact', choices: impactLevels, example: 'COMPLETE' },
  impact_availability: { kind: 'choice', label: 'Availability impact', choices: impactLevels, example: 'COMPLETE' },
  id: { kind: 'key', label: 'PH id', aliases: ['ph'], example: '12' },
  vendor_id: { kind: 'key', label: 'Vendor number', example: '3' },
  product_id: { kind: 'key', label: 'Product number', example: '7' },
  package_id: { kind: 'key', label: 'Package number', example: '7' },
} as const satisfies Record<string, FieldDefinition>

export type Field = keyof typeof fields
export const fieldNames = Object.keys(fields) as Field[]

/** Those to be offered: the numbers of vendors, products and packages stand in addresses, nobody knows them. */
export const offeredFields = fieldNames.filter((field) => !field.endsWith('_id'))

const byName = new Map(
  fieldNames.flatMap((field) => [field, ...aliasesOf(field)].map((name): [string, Field] => [name, field])),
)

/** The field of a name or of another spelling of it, in any case. */
export const findField = (name: string): Field | undefined => byName.get(name.toLowerCase())

/** A field as its widest description: what a table of literal types says of one of them is no use in a loop. */
export function definitionOf(field: Field): FieldDefinition {
  return fields[field]
}

/** What a colon means after the field. */
export const naturalOf = (field: Field): Operator => definitionOf(field).natural ?? 'eq'

function aliasesOf(field: Field) {
  return definitionOf(field).aliases ?? []
}
