import { accessAuthentications, accessComplexities, accessVectors, impactLevels } from '../scores/cvss'
import { severities } from '../scores/severity'
import { claimants } from '../names/catalogues'
import { vulnStatuses } from '../decisions/status'

/** eq: equals; like: contains, whatever the case; match: contains, minding the case. */
export const operators = ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'match'] as const
export type Operator = (typeof operators)[number]

const equality = ['eq'] as const
const order = ['eq', 'gt', 'gte', 'lt', 'lte'] as const
const likeness = ['eq', 'like', 'match'] as const

/** Operators of each kind of field. */
export const operatorsByKind = {
  flag: equality,
  choice: equality,
  id: equality,
  /** A number that names a thing: more and less have no meaning. */
  key: equality,
  number: order,
  date: order,
  text: likeness,
}
export type FieldKind = keyof typeof operatorsByKind

/** `no`: monitored and known to be safe. An unmonitored vulnerability is none of these. */
const concerns = ['yes', 'maybe', 'no'] as const

type FieldDefinition = {
  kind: FieldKind
  label: string
  /** How the API spells it as a parameter. */
  param: string
  /** Other spellings, that of the API first. */
  aliases?: readonly string[]
  choices?: readonly string[]
  /** The least and the most that there can be. */
  ends?: readonly [number, number]
  /** Meaning of a colon if it is not "equals". */
  natural?: Operator
  /** A date ahead: an age tells how long until then. */
  isAhead?: boolean
  example: string
}

/** Everything a query may ask of a vulnerability; nothing else reaches the database. */
export const fields = {
  cveid: { kind: 'text', param: 'cveid', label: 'CVE id', aliases: ['cve', 'cve_id'], example: 'CVE-2021-44228' },
  summary: { kind: 'text', param: 'summary', label: 'Summary', natural: 'like', example: '"remote code"' },
  vendor: { kind: 'text', param: 'vendor_name', label: 'Vendor', aliases: ['vendor_name'], example: 'apache' },
  product: { kind: 'text', param: 'product_name', label: 'Product', aliases: ['product_name'], example: 'http_server' },
  package: { kind: 'text', param: 'package_name', label: 'Package', aliases: ['package_name'], example: 'npm:lodash' },
  cpe: { kind: 'id', param: 'cpe', label: 'CPE', example: '"cpe:2.3:a:openssl:openssl:1.0.1f"' },
  cwe: { kind: 'id', param: 'cwe_id', label: 'CWE', aliases: ['cwe_id'], example: 'CWE-79' },
  advisory: { kind: 'id', param: 'advisory', label: 'Vendor advisory', aliases: ['bulletin'], example: 'MS17-010' },
  score: { kind: 'number', param: 'score', label: 'Score', ends: [0, 100], example: '80' },
  cvss: { kind: 'number', param: 'cvss', label: 'CVSSv2', aliases: ['cvss2'], ends: [0, 10], example: '7.5' },
  cvss3: { kind: 'number', param: 'cvss3', label: 'CVSSv3', ends: [0, 10], example: '9' },
  cvss4: { kind: 'number', param: 'cvss4', label: 'CVSSv4', ends: [0, 10], example: '9' },
  epss: { kind: 'number', param: 'epss', label: 'EPSS', ends: [0, 1], example: '0.5' },
  epss_percentile: {
    kind: 'number',
    param: 'epss_percentile',
    label: 'EPSS percentile',
    aliases: ['percentile', 'epss_rank'],
    ends: [0, 1],
    example: '95%',
  },
  composite: {
    kind: 'number',
    param: 'composite_probability',
    label: 'Composite of EPSS, KEV and LEV',
    ends: [0, 1],
    example: '50%',
  },
  cvss_vector: {
    kind: 'text',
    param: 'cvss_vector',
    label: 'CVSSv2 vector',
    natural: 'like',
    aliases: ['cvss2_vector'],
    example: 'AV:N',
  },
  cvss3_vector: { kind: 'text', param: 'cvss3_vector', label: 'CVSSv3 vector', natural: 'like', example: 'PR:N' },
  exploitable: {
    kind: 'flag',
    param: 'is_exploitable',
    label: 'Exploitable',
    aliases: ['is_exploitable'],
    example: '',
  },
  confirmed: { kind: 'flag', param: 'is_confirmed', label: 'Confirmed', aliases: ['is_confirmed'], example: '' },
  news: {
    kind: 'flag',
    param: 'is_in_the_news',
    label: 'In the news',
    aliases: ['is_in_the_news', 'in_the_news'],
    example: '',
  },
  wild: {
    kind: 'flag',
    param: 'is_in_the_wild',
    label: 'In the wild',
    aliases: ['is_in_the_wild', 'in_the_wild'],
    example: '',
  },
  severity: { kind: 'choice', param: 'severity', label: 'Severity', choices: severities, example: 'critical' },
  kev: { kind: 'flag', param: 'kev', label: 'In KEV', aliases: ['is_kev'], example: '' },
  exploited_by: {
    kind: 'choice',
    param: 'exploited_by',
    label: 'Called exploited by',
    aliases: ['exploited'],
    choices: ['any', ...claimants],
    example: 'eu',
  },
  ransomware: { kind: 'flag', param: 'ransomware', label: 'Known to be used by ransomware', example: '' },
  fixable: {
    kind: 'flag',
    param: 'fixable',
    label: 'Known to have a fix',
    aliases: ['fix_known', 'has_fix', 'patched'],
    example: '',
  },
  risen: { kind: 'flag', param: 'risen', label: 'EPSS rose this week', example: '' },
  due: { kind: 'date', param: 'due', label: 'Due', isAhead: true, example: '7d' },
  overdue: { kind: 'flag', param: 'overdue', label: 'Overdue', example: '' },
  monitored: { kind: 'flag', param: 'monitored', label: 'Monitored', example: '' },
  affects: { kind: 'choice', param: 'affects', label: 'Affects what you run', choices: concerns, example: 'yes' },
  group: { kind: 'id', param: 'group', label: 'Group', example: 'dmz' },
  status: { kind: 'choice', param: 'status', label: 'Status', choices: vulnStatuses, example: 'in_progress' },
  assignee: { kind: 'id', param: 'assignee', label: 'Assigned to', example: 'me' },
  snoozed: { kind: 'flag', param: 'snoozed', label: 'Snoozed', example: '' },
  published: { kind: 'date', param: 'published', label: 'Published', example: '30d' },
  updated: { kind: 'date', param: 'updated_at', label: 'Updated', aliases: ['updated_at'], example: '7d' },
  exploit_count: { kind: 'number', param: 'exploit_count', label: 'Exploits', aliases: ['exploits'], example: '1' },
  access_vector: {
    kind: 'choice',
    param: 'access_vector',
    label: 'Access vector',
    choices: accessVectors,
    example: 'NETWORK',
  },
  access_complexity: {
    kind: 'choice',
    param: 'access_complexity',
    label: 'Access complexity',
    choices: accessComplexities,
    example: 'LOW',
  },
  access_authentication: {
    kind: 'choice',
    param: 'access_authentication',
    label: 'Authentication',
    choices: accessAuthentications,
    example: 'NONE',
  },
  impact_confidentiality: {
    kind: 'choice',
    param: 'impact_confidentiality',
    label: 'Confidentiality impact',
    choices: impactLevels,
    example: 'COMPLETE',
  },
  impact_integrity: {
    kind: 'choice',
    param: 'impact_integrity',
    label: 'Integrity impact',
    choices: impactLevels,
    example: 'COMPLETE',
  },
  impact_availability: {
    kind: 'choice',
    param: 'impact_availability',
    label: 'Availability impact',
    choices: impactLevels,
    example: 'COMPLETE',
  },
  id: { kind: 'key', param: 'id', label: 'PH id', aliases: ['ph'], example: '12' },
  vendor_id: { kind: 'key', param: 'vendor', label: 'Vendor number', example: '3' },
  product_id: { kind: 'key', param: 'product', label: 'Product number', example: '7' },
  package_id: { kind: 'key', param: 'package', label: 'Package number', example: '7' },
} as const satisfies Record<string, FieldDefinition>

export type Field = keyof typeof fields
export const fieldNames = Object.keys(fields) as Field[]

/** Nobody knows the ids of vendors, products and packages by heart: they only appear in addresses. */
export const offeredFields = fieldNames.filter((field) => !field.endsWith('_id'))

const byName = new Map(
  fieldNames.flatMap((field) => [field, ...listAliases(field)].map((name): [string, Field] => [name, field])),
)

/** The field of a name or of another spelling of it, in any case. */
export const findField = (name: string): Field | undefined => byName.get(name.toLowerCase())

/** Widens the type: the table's literal types help only where the field is known. */
export function getDefinition(field: Field): FieldDefinition {
  return fields[field]
}

/** Meaning of a colon after the field. */
export const defaultOperator = (field: Field): Operator => getDefinition(field).natural ?? 'eq'

function listAliases(field: Field) {
  return getDefinition(field).aliases ?? []
}
