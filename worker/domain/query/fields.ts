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

type FieldTraits = {
  /** Other spellings, that of the API first. */
  aliases?: readonly string[]
  choices?: readonly string[]
  /** The least and the most that there can be. */
  ends?: readonly [number, number]
  /** Meaning of a colon if it is not "equals". */
  natural?: Operator
  /** A date ahead: an age tells how long until then. */
  isAhead?: boolean
}
/** `param` is how the API spells it as a parameter. */
type FieldDefinition = FieldTraits & { kind: FieldKind; label: string; param: string; example: string }

const ofKind =
  <Kind extends FieldKind>(kind: Kind) =>
  <Param extends string>(param: Param, label: string, example = '', more: FieldTraits = {}) => ({
    kind,
    param,
    label,
    example,
    ...more,
  })
const text = ofKind('text')
const id = ofKind('id')
const key = ofKind('key')
const number = ofKind('number')
const date = ofKind('date')
const flag = ofKind('flag')
const choice = ofKind('choice')

/** Everything a query may ask of a vulnerability; nothing else reaches the database. */
export const fields = {
  cveid: text('cveid', 'CVE id', 'CVE-2021-44228', { aliases: ['cve', 'cve_id'] }),
  summary: text('summary', 'Summary', '"remote code"', { natural: 'like' }),
  vendor: text('vendor_name', 'Vendor', 'apache', { aliases: ['vendor_name'] }),
  product: text('product_name', 'Product', 'http_server', { aliases: ['product_name'] }),
  package: text('package_name', 'Package', 'npm:lodash', { aliases: ['package_name'] }),
  cpe: id('cpe', 'CPE', '"cpe:2.3:a:openssl:openssl:1.0.1f"'),
  cwe: id('cwe_id', 'CWE', 'CWE-79', { aliases: ['cwe_id'] }),
  advisory: id('advisory', 'Vendor advisory', 'MS17-010', { aliases: ['bulletin'] }),
  score: number('score', 'Score', '80', { ends: [0, 100] }),
  cvss: number('cvss', 'CVSSv2', '7.5', { ends: [0, 10], aliases: ['cvss2'] }),
  cvss3: number('cvss3', 'CVSSv3', '9', { ends: [0, 10] }),
  cvss4: number('cvss4', 'CVSSv4', '9', { ends: [0, 10] }),
  epss: number('epss', 'EPSS', '0.5', { ends: [0, 1] }),
  epss_percentile: number('epss_percentile', 'EPSS percentile', '95%', {
    ends: [0, 1],
    aliases: ['percentile', 'epss_rank'],
  }),
  composite: number('composite_probability', 'Composite of EPSS, KEV and LEV', '50%', { ends: [0, 1] }),
  cvss_vector: text('cvss_vector', 'CVSSv2 vector', 'AV:N', { natural: 'like', aliases: ['cvss2_vector'] }),
  cvss3_vector: text('cvss3_vector', 'CVSSv3 vector', 'PR:N', { natural: 'like' }),
  exploitable: flag('is_exploitable', 'Exploitable', '', { aliases: ['is_exploitable'] }),
  confirmed: flag('is_confirmed', 'Confirmed', '', { aliases: ['is_confirmed'] }),
  news: flag('is_in_the_news', 'In the news', '', { aliases: ['is_in_the_news', 'in_the_news'] }),
  wild: flag('is_in_the_wild', 'In the wild', '', { aliases: ['is_in_the_wild', 'in_the_wild'] }),
  severity: choice('severity', 'Severity', 'critical', { choices: severities }),
  kev: flag('kev', 'In KEV', '', { aliases: ['is_kev'] }),
  exploited_by: choice('exploited_by', 'Called exploited by', 'eu', {
    choices: ['any', ...claimants],
    aliases: ['exploited'],
  }),
  ransomware: flag('ransomware', 'Known to be used by ransomware'),
  fixable: flag('fixable', 'Known to have a fix', '', { aliases: ['fix_known', 'has_fix', 'patched'] }),
  risen: flag('risen', 'EPSS rose this week'),
  due: date('due', 'Due', '7d', { isAhead: true }),
  overdue: flag('overdue', 'Overdue'),
  monitored: flag('monitored', 'Monitored'),
  affects: choice('affects', 'Affects what you run', 'yes', { choices: concerns }),
  group: id('group', 'Group', 'dmz'),
  status: choice('status', 'Status', 'in_progress', { choices: vulnStatuses }),
  assignee: id('assignee', 'Assigned to', 'me'),
  snoozed: flag('snoozed', 'Snoozed'),
  published: date('published', 'Published', '30d'),
  updated: date('updated_at', 'Updated', '7d', { aliases: ['updated_at'] }),
  exploit_count: number('exploit_count', 'Exploits', '1', { aliases: ['exploits'] }),
  access_vector: choice('access_vector', 'Access vector', 'NETWORK', { choices: accessVectors }),
  access_complexity: choice('access_complexity', 'Access complexity', 'LOW', { choices: accessComplexities }),
  access_authentication: choice('access_authentication', 'Authentication', 'NONE', { choices: accessAuthentications }),
  impact_confidentiality: choice('impact_confidentiality', 'Confidentiality impact', 'COMPLETE', {
    choices: impactLevels,
  }),
  impact_integrity: choice('impact_integrity', 'Integrity impact', 'COMPLETE', { choices: impactLevels }),
  impact_availability: choice('impact_availability', 'Availability impact', 'COMPLETE', { choices: impactLevels }),
  id: key('id', 'PH id', '12', { aliases: ['ph'] }),
  vendor_id: key('vendor', 'Vendor number', '3'),
  product_id: key('product', 'Product number', '7'),
  package_id: key('package', 'Package number', '7'),
} satisfies Record<string, FieldDefinition>

export type Field = keyof typeof fields
export const fieldNames = Object.keys(fields) as Field[]

/** Nobody knows the ids of vendors, products and packages by heart: they only appear in addresses. */
export const offeredFields = fieldNames.filter((field) => !field.endsWith('_id'))

/** Widens the type: the table's literal types help only where the field is known. */
export const getDefinition = (field: Field): FieldDefinition => fields[field]

const byName = new Map(
  fieldNames.flatMap((field) =>
    [field, ...(getDefinition(field).aliases ?? [])].map((name): [string, Field] => [name, field]),
  ),
)

/** The field of a name or of another spelling of it, in any case. */
export const findField = (name: string): Field | undefined => byName.get(name.toLowerCase())

/** Meaning of a colon after the field. */
export const defaultOperator = (field: Field): Operator => getDefinition(field).natural ?? 'eq'
