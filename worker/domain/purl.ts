import { PackageURL } from 'packageurl-js'
import type { VersionOrder } from './record'
import { orderOfPackageType } from './versions'

/** `type` is that of the purl; `name` as in AffectedPackage of domain/record. */
export type PackageName = { type: string; name: string }

/** A package, the order of its versions and, where it is one of a distribution's release, which (`Debian:11`). */
export type OsvPackage = PackageName & { order: VersionOrder; on?: string }

// Between namespace and name, as people of the ecosystem write it.
const separatorOf = (type: string) => (type === 'maven' ? ':' : '/')

/**
 * The package that a purl names, and its version; qualifiers and subpath are left out. Null for any other text.
 * `pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1` is `org.apache.logging.log4j:log4j-core`. Source: purl-spec.
 */
export function parsePurl(text: string): (PackageName & { version: string | null }) | null {
  const [type, namespace, name, version] = componentsOf(text.trim())
  if (!type || !name) return null
  const kind = type.toLowerCase()
  const full = namespace ? `${namespace.replace(/^\/+|\/+$/g, '')}${separatorOf(kind)}${name}` : name
  return { type: kind, name: packageName(kind, full), version: version || null }
}

/** Other names of an ecosystem, and the purl type that is meant. */
const typeAliases = new Map([
  ['pip', 'pypi'],
  ['rubygems', 'gem'],
  ['go', 'golang'],
  ['packagist', 'composer'],
  ['rust', 'cargo'],
  ['crates.io', 'cargo'],
])

/** The purl type as people may also call it: `pip` is pypi. */
export const packageType = (text: string) => typeAliases.get(text.toLowerCase()) ?? text.toLowerCase()

/** The purl of a package as `parsePurl` names it, with or without a version. */
export function purlOf(type: string, name: string, version?: string) {
  const { Component: component } = PackageURL
  const at = name.lastIndexOf(separatorOf(type))
  const namespace = at > 0 ? `${component.namespace.encode(name.slice(0, at))}/` : ''
  const suffix = version ? `@${component.version.encode(version)}` : ''
  return `pkg:${type}/${namespace}${component.name.encode(name.slice(at > 0 ? at + 1 : 0))}${suffix}`
}

/** The one spelling of a name whose ecosystem does not tell several apart (PEP 503, Packagist, distributions). */
export function packageName(type: string, name: string) {
  if (type === 'pypi') return name.toLowerCase().replace(/[-_.]+/g, '-')
  if (type === 'maven') return name.replace('/', ':')
  if (type === 'swift') return name.replace(/^https?:\/\//, '').replace(/\.git$/, '')
  return ['composer', 'deb', 'apk', 'hex', 'pub'].includes(type) ? name.toLowerCase() : name
}

/** Purl types of the ecosystems of OSV, and the namespaces of those that are distributions. */
const ecosystems = new Map<string, string>([
  ['AlmaLinux', 'rpm/almalinux'],
  ['Alpaquita', 'apk/alpaquita'],
  ['Alpine', 'apk/alpine'],
  ['Bioconductor', 'bioconductor'],
  ['Bitnami', 'bitnami'],
  ['Chainguard', 'apk/chainguard'],
  ['ConanCenter', 'conan'],
  ['CRAN', 'cran'],
  ['crates.io', 'cargo'],
  ['Debian', 'deb/debian'],
  ['GitHub Actions', 'githubactions'],
  ['Go', 'golang'],
  ['Hackage', 'hackage'],
  ['Hex', 'hex'],
  ['Julia', 'julia'],
  ['Mageia', 'rpm/mageia'],
  ['Maven', 'maven'],
  ['MinimOS', 'apk/minimos'],
  ['npm', 'npm'],
  ['NuGet', 'nuget'],
  ['opam', 'opam'],
  ['openEuler', 'rpm/openeuler'],
  ['openSUSE', 'rpm/opensuse'],
  ['Packagist', 'composer'],
  ['Photon OS', 'rpm/photon'],
  ['Pub', 'pub'],
  ['PyPI', 'pypi'],
  ['Red Hat', 'rpm/redhat'],
  ['Rocky Linux', 'rpm/rocky'],
  ['RubyGems', 'gem'],
  ['SUSE', 'rpm/suse'],
  ['SwiftURL', 'swift'],
  ['Ubuntu', 'deb/ubuntu'],
  ['VSCode', 'vscode-extension'],
  ['Wolfi', 'apk/wolfi'],
])

/**
 * The package that OSV calls `name` in an ecosystem (`Maven`, `Debian:11`, `Red Hat:rhel_aus:8.6::appstream`). One that
 * is not known (`Linux`, `Android`) is of type generic, as `linux/Kernel`. Source: OSV schema, "affected[].package".
 */
export function packageOfOsv(ecosystem: string, name: string): OsvPackage {
  const [base = '', ...release] = ecosystem.split(':')
  const [type = '', namespace] = (ecosystems.get(base) ?? `generic/${base.toLowerCase()}`).split('/')
  return {
    type,
    name: namespace ? `${namespace}/${packageName(type, name)}` : packageName(type, name),
    order: orderOfPackageType(type),
    ...(release.length && { on: ecosystem }),
  }
}

/** Nothing names a package at greater length. */
const maxLength = 2_000

function componentsOf(text: string) {
  if (text.length > maxLength || !/^pkg:/i.test(text)) return []
  try {
    return PackageURL.parseString(text)
  } catch {
    // Not a purl; the library says so by throwing.
    return []
  }
}
