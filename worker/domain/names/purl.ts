import table from './ecosystems.json' with { type: 'json' }
import type { VersionOrder } from '../words/record'
import { packageOrder } from '../versions/versions'

/** `type` is that of the purl; `name` as in AffectedPackage of domain/words/record. */
export type PackageName = { type: string; name: string }

/** A package, the order of its versions and, where it is one of a distribution's release, which (`Debian:11`). */
type OsvPackage = PackageName & { order: VersionOrder; on?: string }

/** `version` holds the epoch (`1:1.1.1k-8.el8`); qualifiers by their keys in lower case, in their order. */
export type Purl = PackageName & { version: string | null; qualifiers: Map<string, string>; subpath: string | null }

// Between namespace and name, as people of the ecosystem write it.
const nameSeparator = (type: string) => (type === 'maven' ? ':' : '/')

/** Nothing names a package at greater length. */
const maxLength = 2_000
const typePattern = /^[a-z][a-z0-9.+-]*$/
const keyPattern = /^[a-z][a-z0-9._-]*$/

/**
 * The package that a purl names, and its version; `pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1` is
 * `org.apache.logging.log4j:log4j-core`. Null for any other text, and for what a type does not allow. Departures, as people look for
 * packages: no version, author of a CPAN distribution or encoded `@` of a scope is required; names of npm keep their case, as old
 * ones have it, and those of NuGet, which tells no letters apart, lose it. Source: purl-spec, "How to parse a purl string in its
 * components", and the type definitions.
 */
export function parsePurl(text: string): Purl | null {
  if (text.length > maxLength) return null
  try {
    return read(text.trim())
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function read(text: string): Purl | null {
  const [located = '', subpath] = splitLast(text, '#')
  const [named = '', query = ''] = splitLast(located, '?')
  const [, kind = '', path = ''] = /^pkg:\/*([^/]+)\/(.*)$/is.exec(named) ?? []
  const type = kind.toLowerCase()
  const qualifiers = readQualifiers(query)
  if (!typePattern.test(type) || !qualifiers) return null

  const at = path.lastIndexOf('@')
  const isVersioned = at !== -1 && !path.slice(at).includes('/')
  const segments = (isVersioned ? path.slice(0, at) : path).split('/').filter(Boolean).map(decodeURIComponent)
  const name = segments.pop() ?? ''
  const namespace = segments.join('/')
  const version = isVersioned ? decodeURIComponent(path.slice(at + 1)) : ''
  // `pkg:maven/@1.3.4` has a version and no name.
  const isNamed = name !== '' && !(isVersioned && (at === 0 || path[at - 1] === '/'))
  if (!isNamed || !isAllowed(type, { namespace, name, qualifiers })) return null
  const full = namespace ? `${namespace}${nameSeparator(type)}${name}` : name
  return {
    type,
    name: normalizePackageName(type, full),
    version: version === '' ? null : formatVersion(type, version, qualifiers),
    qualifiers,
    subpath: formatPath(subpath),
  }
}

/** Other names of an ecosystem, and the purl type that is meant. */
const typeAliases = new Map(Object.entries(table.aliases))

/** The purl type as people may also call it: `pip` is pypi. */
export const packageType = (text: string) => typeAliases.get(text.toLowerCase()) ?? text.toLowerCase()

/** The text before the last of a sign, and the text after it. */
function splitLast(text: string, sign: string) {
  const at = text.lastIndexOf(sign)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function readQualifiers(query: string) {
  const pairs = query.split('&').flatMap((pair): [string, string][] => {
    const [key = '', ...values] = pair.split('=')
    const value = decodeURIComponent(values.join('='))
    return value ? [[key.toLowerCase(), value]] : []
  })
  const keys = new Set(pairs.map(([key]) => key))
  const isValid = keys.size === pairs.length && [...keys].every((key) => keyPattern.test(key))
  return isValid ? new Map(pairs.sort(([a], [b]) => (a < b ? -1 : 1))) : null
}

const formatPath = (subpath = '') =>
  subpath
    .split('/')
    .filter((segment) => !['', '.', '..'].includes(segment))
    .map(decodeURIComponent)
    .join('/') || null

// RPM counts the epoch first, and a purl tells it apart from the version.
function formatVersion(type: string, version: string, qualifiers: Purl['qualifiers']) {
  const epoch = qualifiers.get('epoch') ?? ''
  const isApart = ['rpm', 'deb', 'alpm'].includes(type) && /^\d{1,9}$/.test(epoch) && !/^\d+:/.test(version)
  return isApart ? `${epoch}:${version}` : version
}

type Named = { namespace: string; name: string; qualifiers: Purl['qualifiers'] }

const needNamespace = new Set(['maven', 'swift', 'github', 'bitbucket', 'composer', 'qpkg', 'vscode-extension'])
const haveNone = new Set('bitnami cargo cocoapods conda cran gem hackage mlflow nuget oci opam otp pub pypi'.split(' '))

function isAllowed(type: string, { namespace, name, qualifiers }: Named) {
  if (needNamespace.has(type) && !namespace) return false
  if (haveNone.has(type) && namespace) return false
  // A recipe of a user has a channel, and one of nobody has none.
  if (type === 'conan') return namespace ? qualifiers.size > 0 : !qualifiers.has('channel')
  if (type === 'cpan') return !namespace || !name.includes('::')
  return true
}

/** With or without version, qualifiers and subpath. Source: purl-spec, "How to build purl string from its components". */
export function formatPurl(
  type: string,
  name: string,
  version = '',
  more: Partial<Pick<Purl, 'qualifiers' | 'subpath'>> = {},
) {
  const { qualifiers = new Map<string, string>(), subpath } = more
  const at = name.lastIndexOf(nameSeparator(type))
  const segments = [...(at > 0 ? name.slice(0, at).split('/') : []), name.slice(at > 0 ? at + 1 : 0)]
  const epoch = qualifiers.get('epoch')
  const bare = epoch !== undefined && version.startsWith(`${epoch}:`) ? version.slice(epoch.length + 1) : version
  const query = [...qualifiers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${encoded(value).replaceAll('%2F', '/')}`)
  return [
    `pkg:${type}/${segments.map(encoded).join('/')}`,
    bare && `@${encoded(bare)}`,
    query.length && `?${query.join('&')}`,
    subpath && `#${subpath.split('/').map(encoded).join('/')}`,
  ]
    .filter(Boolean)
    .join('')
}

// Letters, digits and .-_~: stay as they are; in qualifiers the slash of an address, too.
const encoded = (text: string) =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const lowerCase = new Set(
  'alpm apk bitbucket bitnami composer deb github gitlab hex nuget oci pub pypi qpkg'.split(' '),
)

/** The one spelling of a name whose ecosystem does not tell several apart (purl-spec, type definitions; PEP 503 for pypi). */
export function normalizePackageName(type: string, name: string) {
  if (type === 'pypi') return name.toLowerCase().replace(/[-_.]+/g, '-')
  if (type === 'pub') return name.toLowerCase().replaceAll('-', '_')
  if (type === 'maven') return name.replace('/', ':')
  if (type === 'swift') return name.replace(/^https?:\/\//, '').replace(/\.git$/, '')
  // The marketplace and OSV write `nrwl.angular-console`, a purl `nrwl/angular-console`; a publisher has no dots.
  if (type === 'vscode-extension') return name.toLowerCase().replace(/^([^./]+)\./, '$1/')
  // Advisories of GitHub write some modules of Go as addresses; its library is `std` to cyclonedx-gomod, and `stdlib` to advisories.
  if (type === 'golang') return name.replace(/^https?:\/\//, '').replace(/^std$/, 'stdlib')
  // Syft writes the id of the system, `rhel`.
  if (type === 'rpm')
    return name.replace(/^[^/]*\//, (namespace) => namespace.toLowerCase()).replace(/^rhel\//, 'redhat/')
  return lowerCase.has(type) ? name.toLowerCase() : name
}

/** Purl types of the ecosystems of OSV, and the namespaces of those that are distributions. */
const ecosystems = new Map(Object.entries(table.ecosystems))
export const purlTypes = new Set([...ecosystems.values()].map((value) => value.replace(/\/.*/, '')))

/**
 * The package that OSV calls `name` in an ecosystem (`Maven`, `Debian:11`, `Red Hat:rhel_aus:8.6::appstream`). One that
 * is not known (`Linux`, `Android`) is of type generic, as `linux/Kernel`. Source: OSV schema, "affected[].package".
 */
export function parseOsvPackage(ecosystem: string, name: string): OsvPackage {
  const [base = '', ...release] = ecosystem.split(':')
  const [type = '', namespace] = (ecosystems.get(base) ?? `generic/${base.toLowerCase()}`).split('/')
  return {
    type,
    name: namespace ? `${namespace}/${normalizePackageName(type, name)}` : normalizePackageName(type, name),
    order: packageOrder(type),
    ...(release.length && { on: ecosystem }),
  }
}
