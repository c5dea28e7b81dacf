import * as z from 'zod'
import { cpeTail, parseCpe } from '../../domain/names/cpe'
import { cveIdPattern } from '../../domain/names/cve'
import type {
  AffectedPackage,
  AffectedProduct,
  CvssMetric,
  ProductName,
  Reference,
  VersionOrder,
  VersionRange,
  VulnRecord,
} from '../../domain/words/record'
import { utcStamp } from '../source/dates'
import { streamOn } from '../../domain/names/purl-release'
import { compareVersions } from '../../domain/versions/versions'
import { lenient } from '../source/fields'

/** Scores come as texts, "8.1". */
const Score = z.coerce.number().min(0).max(10)

const AffectedRelease = z.object({
  product_name: z.string(),
  advisory: z.string().optional(),
  /** The build that fixes it; absent if the release of a whole product does. */
  package: z.string().optional(),
  cpe: z.string().optional(),
})
const PackageState = z.object({
  product_name: z.string(),
  fix_state: z.string(),
  package_name: z.string(),
  cpe: z.string().optional(),
})

export const RedhatCve = z.object({
  name: z.string().regex(cveIdPattern),
  public_date: z.string().optional(),
  bugzilla: z.object({ description: z.string().optional(), url: z.string().optional() }).optional(),
  cvss: lenient(z.object({ cvss_base_score: Score, cvss_scoring_vector: z.string() })),
  cvss3: lenient(z.object({ cvss3_base_score: Score, cvss3_scoring_vector: z.string() })),
  cwe: z.string().optional(),
  details: z.array(z.string()).optional(),
  references: z.array(z.string()).optional(),
  affected_release: z.array(AffectedRelease).optional(),
  package_state: z.array(PackageState).optional(),
})
type RedhatCve = z.output<typeof RedhatCve>

/** A flaw that Red Hat took back keeps its page, whose title says so. */
const rejected = /^\s*(CVE-\d{4}-\d+ )?(REJECTED|\*\* ?REJECT)/i

export function fromRedhat(cve: RedhatCve): VulnRecord {
  const { name, public_date, bugzilla, affected_release = [] } = cve
  const cvss = cve.cvss && readMetric(cve.cvss.cvss_base_score, cve.cvss.cvss_scoring_vector)
  const cvss3 = cve.cvss3 && readMetric(cve.cvss3.cvss3_base_score, cve.cvss3.cvss3_scoring_vector)
  const advisories = affected_release.flatMap(({ advisory }) => (advisory ? [advisory] : []))
  return {
    cveid: name,
    state: rejected.test(bugzilla?.description ?? '') ? 'rejected' : 'published',
    summary: cve.details?.findLast((text) => text.trim())?.trim() ?? bugzilla?.description ?? '',
    ...(public_date && { published: utcStamp(public_date) }),
    ...(cvss && { cvss }),
    ...(cvss3 && { cvss3 }),
    cwe_ids: [...new Set(cve.cwe?.match(/CWE-\d+/g))],
    references: readReferences(cve),
    aliases: [...new Set(advisories)].sort(),
    affected: readProducts(cve),
    packages: readPackages(cve),
  }
}

const readMetric = (score: number, vector: string): CvssMetric | undefined =>
  vector.trim() ? { score, vector: vector.trim(), by: 'Red Hat' } : undefined

// One text holds all of them, a line each.
function readReferences({ name, bugzilla, references = [] }: RedhatCve): Reference[] {
  const urls = references.flatMap((text) => text.split(/\s+/)).filter((url) => /^https?:\/\//i.test(url))
  const own: Reference[] = [
    { url: `https://access.redhat.com/security/cve/${name}`, tags: ['Vendor Advisory'] },
    ...(bugzilla?.url ? [{ url: bugzilla.url, tags: ['Issue Tracking'] }] : []),
  ]
  const known = new Set(own.map(({ url }) => url))
  return [...own, ...[...new Set(urls)].filter((url) => !known.has(url)).map((url) => ({ url, tags: [] }))]
}

const statusByState = new Map<string, VersionRange['status'] | 'affected'>([
  ['Affected', 'affected'],
  ['Fix deferred', 'affected'],
  ['Will not fix', 'affected'],
  // Nobody has looked, and Red Hat advises to treat it as affected.
  ['Out of support scope', 'affected'],
  ['Not affected', 'unaffected'],
])
const findStatus = (fix_state: string) => statusByState.get(fix_state) ?? 'unknown'

type Status = ReturnType<typeof findStatus>
/** The releases of a product: the CPE tails of the affected ones, and the status of each version. */
type Product = { name: ProductName; tails: Set<string>; byVersion: Map<string, Status> }

/**
 * A release of a product is affected if one of its packages is, or was until its fix, and is not affected if Red Hat says so
 * for each package that it names. Releases that it does not name (10, or 9.4 beside 9) stay unknown.
 */
function readProducts({ affected_release = [], package_state = [] }: RedhatCve): AffectedProduct[] {
  const states = [
    ...affected_release.map(({ cpe }) => ({ cpe, status: 'affected' as const })),
    ...package_state.map(({ cpe, fix_state }) => ({ cpe, status: findStatus(fix_state) })),
  ]
  const byProduct = new Map<string, Product>()
  for (const { cpe, status } of states) {
    const named = cpe ? parseCpe(cpe) : null
    if (!named) continue
    const { vendor, product, version } = named
    const key = `${vendor}:${product}`
    const known: Product = byProduct.get(key) ?? { name: { vendor, product }, tails: new Set(), byVersion: new Map() }
    byProduct.set(key, known)
    if (status === 'affected') known.tails.add(cpeTail({ ...named, update: '*', edition: '*' }))
    known.byVersion.set(version, worse(known.byVersion.get(version) ?? status, status))
  }
  return [...byProduct.values()].flatMap(({ name, tails, byVersion }) =>
    tails.size ? [{ ...name, ranges: [...tails, ...listOthers(byVersion)] }] : [],
  )
}

function worse(one: Status, other: Status): Status {
  if (one === 'affected' || other === 'affected') return 'affected'
  return one === other ? one : 'unknown'
}

// Ranges for the releases that are not affected, and for all unnamed ones.
function listOthers(byVersion: Product['byVersion']): VersionRange[] {
  if (byVersion.get('*') === 'affected') return []
  const denied = [...byVersion].flatMap(([version, status]): VersionRange[] =>
    status === 'unaffected' && /^\d/.test(version) ? [{ order: 'loose', is: `${version}.*`, status }] : [],
  )
  return [...denied, { order: 'loose', status: 'unknown' }]
}

/** Per package: the builds that fix it, and its state in products without a fix. Leaves out packages that are affected nowhere. */
function readPackages({ affected_release = [], package_state = [] }: RedhatCve): AffectedPackage[] {
  const statements = new Statements()
  for (const { package: build, product_name: on } of affected_release) {
    const fixed = build === undefined ? null : parseBuild(build)
    if (fixed)
      statements.add(fixed, { order: fixed.order, ...(fixed.lt ? { lt: fixed.lt } : { status: 'unknown' }), on })
  }
  for (const { package_name, fix_state, product_name } of package_state) {
    const [component, status] = [parseComponent(package_name), findStatus(fix_state)]
    const on = component.stream === undefined ? product_name : streamOn(product_name, component.stream)
    statements.add(component, { order: component.order, ...(status !== 'affected' && { status }), on })
  }
  return statements.packages()
}

/** Of several fixes in one release the last one counts: the earlier ones mend a part, so that all between is likely affected. */
function endPartly(ranges: VersionRange[]): VersionRange[] {
  const fixes = ranges.filter(({ order, lt }) => order === 'rpm' && lt !== undefined)
  const earlier = new Map<VersionRange, string>()
  for (const own of Map.groupBy(fixes, ({ on }) => on).values()) {
    const sorted = own.toSorted((a, b) => compareVersions('rpm', a.lt ?? '', b.lt ?? '') ?? 0)
    for (const [at, range] of sorted.entries()) if (at > 0) earlier.set(range, sorted[at - 1]?.lt ?? '')
  }
  return ranges.map((range) => {
    const ge = earlier.get(range)
    return ge === undefined ? range : { ...range, ge, is_guess: true }
  })
}

class Statements {
  private readonly byName = new Map<string, { named: RedhatPackage; ranges: Map<string, VersionRange> }>()

  add(named: RedhatPackage, range: VersionRange) {
    const key = `${named.type} ${named.name}`
    const known = this.byName.get(key) ?? { named, ranges: new Map<string, VersionRange>() }
    this.byName.set(key, known)
    known.ranges.set(JSON.stringify(range), range)
  }

  packages(): AffectedPackage[] {
    return [...this.byName.values()].flatMap(({ named: { type, name }, ranges }) => {
      const list = endPartly([...ranges.values()])
      return list.some(({ status }) => status === undefined) ? [{ type, name, ranges: list }] : []
    })
  }
}

/** `stream` is the module or flatpak that has it inside: its build is none of the system's own. */
type RedhatPackage = {
  type: 'rpm' | 'rpmmod' | 'oci'
  name: string
  order: VersionOrder
  lt?: string
  stream?: string
}

const imageBuild = /^(.+\/[^/:@]+):([^/@]+)$/
const rpmWithEpoch = /^(.+)-(\d+:[^-:]+-[^-]+)$/
const moduleBuild = /^([^/:]+):([^/:]+)$/
const rpmBuild = /^(.+)-([^-:]+-[^-:]+)$/

/**
 * `openssh-0:8.7p1-38.el9_4.1` (RPM), `python39:3.9-8100020240516111311.d47b87a4` (module), `openshift/eventrouter-rhel9:v0.4.0-247`
 * (image). A bare name says that there is a fix, not which.
 */
export function parseBuild(text: string): RedhatPackage {
  const image = imageBuild.exec(text)
  if (image) return { type: 'oci', name: `redhat/${image[1]}`, order: 'loose', lt: `${image[2]}` }
  const withEpoch = rpmWithEpoch.exec(text)
  if (withEpoch) return { type: 'rpm', name: `redhat/${withEpoch[1]}`, order: 'rpm', lt: `${withEpoch[2]}` }
  const stream = moduleBuild.exec(text)
  if (stream) return { type: 'rpmmod', name: `redhat/${cutBuild(text)}`, order: 'rpm', lt: `${stream[2]}` }
  const rpm = rpmBuild.exec(text)
  if (rpm) return { type: 'rpm', name: `redhat/${rpm[1]}`, order: 'rpm', lt: `${rpm[2]}` }
  return parseComponent(text)
}

// Streams of a module cannot be compared: `nodejs:10` and `nodejs:12` are two packages.
const cutBuild = (text: string) => text.replace(/-[^-]+$/, '')

/** Without a version: `kernel`, `nodejs:18/nodejs` (of a module) or `rhelai1/bootc-nvidia-rhel9` (an image). */
export function parseComponent(text: string): RedhatPackage {
  const [place = '', ...inside] = text.split('/')
  if (isStream(place) && inside.join(''))
    return { type: 'rpm', name: `redhat/${inside.join('/')}`, order: 'rpm', stream: place }
  if (text.includes('/')) return { type: 'oci', name: `redhat/${text.replace(/[:@].*$/, '')}`, order: 'loose' }
  return { type: 'rpm', name: `redhat/${text}`, order: 'rpm' }
}

function isStream(text: string) {
  const colon = text.indexOf(':', 1)
  return colon !== -1 && colon < text.length - 1
}
