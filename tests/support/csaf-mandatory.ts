// The mandatory tests of CSAF 2.0, section 6.1, written from the standard's text and not from our code.

type Refs = { product_ids?: string[]; group_ids?: string[] }
type Product = { product_id: string; product_identification_helper?: { purl?: string; hashes?: unknown[] } }
type Branch = { category?: string; name?: string; product?: Product; branches?: Branch[] }
type Relationship = { product_reference: string; relates_to_product_reference: string; full_product_name: Product }
type Vulnerability = {
  cve?: string
  ids?: unknown[]
  cwe?: unknown
  notes?: unknown[]
  product_status?: Record<string, string[] | undefined>
  scores?: ({ products: string[] } & Record<string, unknown>)[]
  flags?: (Refs & { label: string })[]
  threats?: (Refs & { category: string })[]
  remediations?: (Refs & { category: string })[]
  involvements?: { party: string; date?: string }[]
}
export type Csaf = {
  document: {
    category: string
    lang?: string
    source_lang?: string
    publisher: { category: string }
    tracking: { status: string; version: string; revision_history: { date: string; number: string }[] }
  }
  product_tree?: {
    full_product_names?: Product[]
    branches?: Branch[]
    relationships?: Relationship[]
    product_groups?: { group_id: string; product_ids: string[] }[]
  }
  vulnerabilities?: Vulnerability[]
}

/** Answers the problems. */
type Rule = (csaf: Csaf) => string[]

const doubles = (texts: string[]) => texts.filter((text, at) => texts.indexOf(text) !== at)
const vulnsIn = ({ vulnerabilities = [] }: Csaf) => vulnerabilities
const leaves = (branches: Branch[] = []): Branch[] => branches.flatMap((one) => [one, ...leaves(one.branches)])
const relationshipsIn = ({ product_tree }: Csaf) => product_tree?.relationships ?? []
const productsIn = (csaf: Csaf) => [
  ...(csaf.product_tree?.full_product_names ?? []),
  ...leaves(csaf.product_tree?.branches).flatMap(({ product }) => (product ? [product] : [])),
  ...relationshipsIn(csaf).map(({ full_product_name }) => full_product_name),
]
const definedIn = (csaf: Csaf) => productsIn(csaf).map(({ product_id }) => product_id)
const groupsIn = ({ product_tree }: Csaf) => product_tree?.product_groups ?? []
const listParts = ({ flags = [], threats = [], remediations = [] }: Vulnerability): Refs[] => [
  ...flags,
  ...threats,
  ...remediations,
]
const listed = (vuln: Vulnerability, ...names: string[]) => names.flatMap((name) => vuln.product_status?.[name] ?? [])
/** The products that the parts refer to, directly and through groups. */
const findSpoken = (csaf: Csaf, parts: Refs[] = []) =>
  parts.flatMap(({ product_ids = [], group_ids = [] }) => [
    ...product_ids,
    ...groupsIn(csaf).flatMap((group) => (group_ids.includes(group.group_id) ? group.product_ids : [])),
  ])
const history = ({ document }: Csaf) => document.tracking.revision_history
const byDate = (csaf: Csaf) => history(csaf).toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date))
const isReleased = ({ document }: Csaf) => ['final', 'interim'].includes(document.tracking.status)
const isEarly = (version: string) => /^0(?:\.|$)/.test(version)
const isPreRelease = (version: string) => (version.split('+')[0] ?? '').includes('-')
const compareVersions = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })
const when = (isWrong: boolean, problem: string) => (isWrong ? [problem] : [])

const statusGroups = [
  ['first_affected', 'known_affected', 'last_affected'],
  ['known_not_affected'],
  ['first_fixed', 'fixed'],
  ['under_investigation'],
]
const vexStatuses = ['fixed', 'known_affected', 'known_not_affected', 'under_investigation']

/** Section 6.1.13 refers to the purl specification: a scheme, a type, a name, no broken escapes; empty qualifiers are dropped. */
function isPurl(text: string) {
  const [, type = '', path = '', query = ''] = /^pkg:\/*([^/?#]+)\/([^?#]+)(?:\?([^#]*))?(?:#.*)?$/.exec(text) ?? []
  if (!/^[A-Za-z.+-][A-Za-z0-9.+-]*$/.test(type) || /%(?![0-9A-Fa-f]{2})/.test(text) || /\s/.test(text)) return false
  const name = path
    .replace(/@[^@/]*$/, '')
    .split('/')
    .filter(Boolean)
    .at(-1)
  return !!name && query.split('&').every((pair) => /^[^=]*=?$|^[A-Za-z.\-_][\w.-]*=.+$/.test(pair))
}

function isLanguage(tag: string) {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag) !== undefined
  } catch {
    return false
  }
}

function circles(csaf: Csaf) {
  const from = new Map(
    relationshipsIn(csaf).map((one) => [
      one.full_product_name.product_id,
      [one.product_reference, one.relates_to_product_reference],
    ]),
  )
  const leadsBack = (id: string, start: string, seen: Set<string>): boolean =>
    (from.get(id) ?? []).some((next) => next === start || (!seen.has(next) && leadsBack(next, start, seen.add(next))))
  return [...from.keys()].filter((id) => leadsBack(id, id, new Set()))
}

const products: Record<string, Rule> = {
  '6.1.1': (csaf) => {
    const defined = new Set(definedIn(csaf))
    const named = [
      ...groupsIn(csaf).flatMap(({ product_ids }) => product_ids),
      ...relationshipsIn(csaf).flatMap((one) => [one.product_reference, one.relates_to_product_reference]),
      ...vulnsIn(csaf).flatMap((vuln) => [
        ...Object.values(vuln.product_status ?? {}).flatMap((ids) => ids ?? []),
        ...listParts(vuln).flatMap(({ product_ids = [] }) => product_ids),
        ...(vuln.scores ?? []).flatMap((score) => score.products),
      ]),
    ]
    return named.filter((id) => !defined.has(id))
  },
  '6.1.2': (csaf) => doubles(definedIn(csaf)),
  '6.1.3': circles,
  '6.1.4': (csaf) => {
    const defined = new Set(groupsIn(csaf).map(({ group_id }) => group_id))
    const named = vulnsIn(csaf).flatMap((vuln) => listParts(vuln).flatMap(({ group_ids = [] }) => group_ids))
    return named.filter((id) => !defined.has(id))
  },
  '6.1.5': (csaf) => doubles(groupsIn(csaf).map(({ group_id }) => group_id)),
  '6.1.6': (csaf) =>
    vulnsIn(csaf).flatMap((vuln) => doubles(statusGroups.flatMap((names) => [...new Set(listed(vuln, ...names))]))),
  '6.1.7': (csaf) =>
    vulnsIn(csaf).flatMap(({ scores = [] }) =>
      doubles(
        scores.flatMap((score) =>
          ['cvss_v2', 'cvss_v3'].flatMap((kind) => (kind in score ? score.products.map((id) => `${id} ${kind}`) : [])),
        ),
      ),
    ),
  '6.1.12': ({ document: { lang, source_lang } }) =>
    [lang, source_lang].flatMap((tag) => when(tag !== undefined && !isLanguage(tag), String(tag))),
  '6.1.13': (csaf) =>
    productsIn(csaf).flatMap(({ product_identification_helper: helper }) =>
      when(helper?.purl !== undefined && !isPurl(helper.purl), String(helper?.purl)),
    ),
}

const tracking: Record<string, Rule> = {
  '6.1.14': (csaf) => {
    const numbers = byDate(csaf).map(({ number }) => number)
    return numbers.filter((number, at) => at > 0 && compareVersions(numbers[at - 1] ?? '', number) > 0)
  },
  '6.1.15': ({ document: { publisher, source_lang } }) =>
    when(publisher.category === 'translator' && !source_lang, 'no source_lang'),
  '6.1.16': (csaf) => {
    const { version } = csaf.document.tracking
    const newest = byDate(csaf).at(-1)?.number ?? ''
    const plain = (text: string) => text.replace(/\+.*$/, '')
    const isDraft = csaf.document.tracking.status === 'draft'
    const own = isDraft ? plain(version).replace(/-.*$/, '') : plain(version)
    return when(own !== plain(newest), `${version}, not ${newest}`)
  },
  '6.1.17': ({
    document: {
      tracking: { status, version },
    },
  }) => when((isEarly(version) || isPreRelease(version)) && status !== 'draft', version),
  '6.1.18': (csaf) => (isReleased(csaf) ? history(csaf).flatMap(({ number }) => when(isEarly(number), number)) : []),
  '6.1.19': (csaf) => history(csaf).flatMap(({ number }) => when(isPreRelease(number), number)),
  '6.1.20': (csaf) => when(isReleased(csaf) && isPreRelease(csaf.document.tracking.version), 'pre-release'),
  '6.1.21': (csaf) => {
    const numbers = history(csaf)
      .map(({ number }) => Number.parseInt(number, 10))
      .toSorted((a, b) => a - b)
    const [first = -1] = numbers
    return [
      ...when(first !== 0 && first !== 1, `begins with ${first}`),
      ...numbers.filter((number, at) => at > 0 && number - (numbers[at - 1] ?? 0) > 1).map(String),
    ]
  },
  '6.1.22': (csaf) => doubles(history(csaf).map(({ number }) => number.replace(/\+.*$/, ''))),
  '6.1.23': (csaf) => doubles(vulnsIn(csaf).flatMap(({ cve }) => cve ?? [])),
  '6.1.24': (csaf) =>
    vulnsIn(csaf).flatMap(({ involvements = [] }) =>
      doubles(involvements.map(({ party, date }) => `${party} ${date}`)),
    ),
  '6.1.28': ({ document: { lang, source_lang } }) => when(lang !== undefined && lang === source_lang, String(lang)),
  '6.1.30': (csaf) => {
    const versions = [csaf.document.tracking.version, ...history(csaf).map(({ number }) => number)]
    return when(new Set(versions.map((version) => version.includes('.'))).size > 1, versions.join())
  },
  '6.1.31': ({ product_tree }) =>
    leaves(product_tree?.branches).flatMap(({ category, name = '' }) =>
      when(
        category === 'product_version' && /[<>]|\b(?:after|all|before|earlier|later|prior|versions)\b/i.test(name),
        name,
      ),
    ),
}

const profile: Record<string, Rule> = {
  '6.1.27.4': ({ product_tree }) => when(!product_tree, 'no product_tree'),
  '6.1.27.5': (csaf) => vulnsIn(csaf).flatMap(({ notes }, at) => when(!notes?.length, `vulnerability ${at}`)),
  '6.1.27.7': (csaf) =>
    vulnsIn(csaf).flatMap((vuln, at) => when(!listed(vuln, ...vexStatuses).length, `vulnerability ${at}`)),
  '6.1.27.8': (csaf) => vulnsIn(csaf).flatMap(({ cve, ids }, at) => when(!cve && !ids?.length, `vulnerability ${at}`)),
  '6.1.27.9': (csaf) =>
    vulnsIn(csaf).flatMap((vuln) => {
      const impacts = vuln.threats?.filter(({ category }) => category === 'impact')
      const told = new Set(findSpoken(csaf, [...(vuln.flags ?? []), ...(impacts ?? [])]))
      return listed(vuln, 'known_not_affected').filter((id) => !told.has(id))
    }),
  '6.1.27.10': (csaf) =>
    vulnsIn(csaf).flatMap((vuln) => {
      const told = new Set(findSpoken(csaf, vuln.remediations))
      return listed(vuln, 'known_affected').filter((id) => !told.has(id))
    }),
  '6.1.27.11': ({ vulnerabilities }) => when(!vulnerabilities, 'no vulnerabilities'),
  '6.1.29': (csaf) => vulnsIn(csaf).flatMap(({ remediations = [] }) => remediations.flatMap(withoutProduct)),
  '6.1.32': (csaf) => vulnsIn(csaf).flatMap(({ flags = [] }) => flags.flatMap(withoutProduct)),
  '6.1.33': (csaf) => vulnsIn(csaf).flatMap(({ flags = [] }) => doubles(findSpoken(csaf, flags))),
}
const withoutProduct = ({ product_ids, group_ids }: Refs) => when(!product_ids && !group_ids, 'without a product')

/** Every rule that may apply to a VEX document of ours. */
export const mandatoryRules: Record<string, Rule> = { ...products, ...tracking, ...profile }

const hasNo = (member: 'scores' | 'cwe') => (csaf: Csaf) => vulnsIn(csaf).every((vuln) => vuln[member] === undefined)
const isVex = ({ document: { category } }: Csaf) => category === 'csaf_vex'

/** The other rules: why they cannot apply, and a test that this is true for a document. */
export const inapplicable: Record<string, { why: string; holds: (csaf: Csaf) => boolean }> = {
  '6.1.8': { why: 'a score that breaks its schema: no scores are written', holds: hasNo('scores') },
  '6.1.9': { why: 'a score other than its vector says: no scores are written', holds: hasNo('scores') },
  '6.1.10': { why: 'a metric other than its vector says: no scores are written', holds: hasNo('scores') },
  '6.1.11': { why: 'a weakness by a wrong name: no weaknesses are written', holds: hasNo('cwe') },
  '6.1.25': {
    why: 'a hash twice: no hashes are written',
    holds: (csaf) => productsIn(csaf).every((one) => one.product_identification_helper?.hashes === undefined),
  },
  '6.1.26': { why: 'the category of a document of the profile CSAF base: it is a VEX document', holds: isVex },
  '6.1.27.1': { why: 'notes of an informational advisory or a response to an incident', holds: isVex },
  '6.1.27.2': { why: 'references of the same two profiles', holds: isVex },
  '6.1.27.3': { why: 'an informational advisory has no vulnerabilities', holds: isVex },
  '6.1.27.6': { why: 'the product status of a security advisory', holds: isVex },
}

/** The problems of a document, with the number of the mandatory test. */
export const mandatoryProblems = (csaf: Csaf) => [
  ...Object.entries(mandatoryRules).flatMap(([number, rule]) => rule(csaf).map((problem) => `${number} ${problem}`)),
  ...Object.entries(inapplicable).flatMap(([number, { holds }]) =>
    holds(csaf) ? [] : [`${number} applies after all`],
  ),
]
