import { listSameProducts } from '../domain/names/aliases'
import { parseCpe, versionInCpe, versionlessInCpe } from '../domain/names/cpe'
import type { CpeKind } from '../domain/versions/cpe-match'
import { resolveAlias } from '../domain/names/product-names'
import { parsePurl, type Purl } from '../domain/names/purl'
import type { ProductName } from '../domain/words/record'

export type MatchTarget = {
  kind: 'package' | 'product'
  /** The type of a package, the vendor of a product. */
  first: string
  name: string
  version: string | null
  purl: Purl | null
  /** Edition and system by its CPE name. */
  attributes: CpeKind | null
}

type Named = { version: string | null; purl: string | null; cpe: string | null }
export type NamedComponent = Named & { id: number }
export type Judged = { component_id: number; targets: MatchTarget[] }

export const toJudged = (component: NamedComponent): Judged => ({
  component_id: component.id,
  targets: findTargets(component),
})

export function findTargets({ version, purl: purlText, cpe: cpeText }: Named): MatchTarget[] {
  const purl = purlText === null ? null : parsePurl(purlText)
  const cpe = cpeText === null ? null : parseCpe(cpeText)
  const targets: MatchTarget[] = []
  if (purl) {
    const shared = {
      kind: 'package' as const,
      first: purl.type,
      version: purl.version ?? version,
      purl,
      attributes: null,
    }
    targets.push({ ...shared, name: purl.name })
    const other = otherPackage(purl)
    if (other) targets.push({ ...shared, ...other })
    const source = sourcePackage(purl)
    if (source && source.name !== purl.name)
      targets.push({ ...shared, name: source.name, version: source.version ?? shared.version })
  }
  if (cpe && cpe.vendor !== '*' && cpe.product !== '*') {
    const shared = { kind: 'product' as const, purl: null, attributes: cpe }
    const named = versionInCpe(cpe) ?? version ?? versionlessInCpe(cpe)
    for (const { vendor, product } of listProducts(cpe))
      targets.push({ ...shared, first: vendor, name: product, version: named })
  }
  return targets
}

/** By the name that our records go by, and by those of former owners. */
function listProducts(cpe: ProductName): ProductName[] {
  const meant = resolveAlias(cpe)
  const others = listSameProducts(meant.vendor, meant.product).map((name) => name.split(':'))
  return [meant, ...others.map(([vendor = '', product = '']) => ({ vendor, product }))]
}

/** The package that advisories name: Syft and cdxgen write `pkg:github/actions/checkout@v4`, and Composer gets plugins of WordPress from mirrors. */
function otherPackage({ type, name }: Purl) {
  if (type === 'github') return { first: 'githubactions', name }
  const plugin = type === 'composer' ? /^(?:wpackagist|wp)-plugin\/(.+)$/.exec(name)?.[1] : undefined
  return plugin ? { first: 'wordpress', name: plugin } : null
}

export const distributionTypes = ['deb', 'rpm', 'apk', 'alpm']

/** A distribution mends its packages without a new version of upstream. */
export const isOfDistribution = (type: string) => distributionTypes.includes(type)

/** Syft's `openssh-8.7p1-38.el9.src.rpm`. */
const sourceRpm = /^(.+)-([^-]+-[^-]+)\.src\.rpm$/

// `upstream=openssl@3.0.11-1` (Syft, and our reader of Debian's status): advisories of Debian name source packages.
function sourcePackage({ type, name, version: own, qualifiers }: Purl) {
  const upstream = isOfDistribution(type) ? qualifiers.get('upstream') : undefined
  if (!upstream) return null
  const [, rpm, build = ''] = sourceRpm.exec(upstream) ?? []
  // The name of a source RPM leaves out the epoch, which that of its package has.
  const isSameBuild = own?.replace(/^\d+:/, '') === build
  const [source = '', version = null] = rpm ? [rpm, isSameBuild ? own : build] : upstream.split('@')
  const namespace = name.includes('/') ? `${name.slice(0, name.indexOf('/'))}/` : ''
  return { name: `${namespace}${source.toLowerCase()}`, version }
}
