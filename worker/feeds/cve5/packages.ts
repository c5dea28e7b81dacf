import { parseCve5PackageRanges } from '../../domain/versions/cve5-status'
import { normalizePackageName, parsePurl } from '../../domain/names/purl'
import type { AffectedPackage } from '../../domain/words/record'
import { packageOrder } from '../../domain/versions/versions'
import type { ParsedAffected, Cve5Container } from './schema'
import { unitePackages } from '../source/fields'

/** The purl types of the collections that CNAs name by their address. */
const collections: [RegExp, string][] = [
  [
    /(?:^|\.)(?:repo1?\.maven\.(?:apache\.)?org|maven\.org|mvnrepository\.com|central\.sonatype\.(?:com|org))$/,
    'maven',
  ],
  [/(?:^|\.)npmjs\.(?:com|org)$/, 'npm'],
  [/(?:^|\.)(?:pypi\.org|pypi\.python\.org)$/, 'pypi'],
  [/(?:^|\.)packagist\.org$/, 'composer'],
  [/^(?:pkg\.go\.dev|proxy\.golang\.org)$/, 'golang'],
  [/(?:^|\.)crates\.io$/, 'cargo'],
  [/(?:^|\.)nuget\.org$/, 'nuget'],
  [/(?:^|\.)rubygems\.org$/, 'gem'],
  [/^hex\.pm$/, 'hex'],
  [/^pub\.dev$/, 'pub'],
  [/(?:^|\.)metacpan\.org$/, 'cpan'],
  [/^cran\.r-project\.org$/, 'cran'],
  [/^hackage\.haskell\.org$/, 'hackage'],
  [/^github\.com\/[\w.-]+\/[\w.-]+$/, 'github'],
  [/^(?:\w+\.)?wordpress\.org\/plugins$/, 'wordpress'],
]

export const readCve5Packages = (containers: Cve5Container[]): AffectedPackage[] =>
  unitePackages(
    containers
      .flatMap(({ affected = [] }) => affected)
      .flatMap((entry) => {
        const named = readPackage(entry)
        const ranges = named ? parseCve5PackageRanges(entry, packageOrder(named.type)) : []
        return named && ranges.some(({ status }) => status === undefined) ? [{ ...named, ranges }] : []
      }),
  )

// Prefers the purl (format 5.2); else takes the name in a collection of a known ecosystem.
function readPackage({ packageURL = '', collectionURL = '', packageName: given = '' }: ParsedAffected) {
  const purl = parsePurl(packageURL)
  if (purl) return { type: purl.type, name: purl.name }
  const place = parseAddress(collectionURL)
  const type = collections.find(([pattern]) => pattern.test(place.host) || pattern.test(place.host + place.path))?.[1]
  const name = type === 'github' ? place.path.slice(1).toLowerCase() : given.trim() || nameIn(type, place.path)
  if (!type || !name || /\s/.test(name)) return null
  return type === 'maven' && !/^[^:/]+[:/][^:/]+$/.test(name) ? null : { type, name: normalizePackageName(type, name) }
}

function parseAddress(address: string) {
  // Parsing an invalid address costs an exception, and most entries have none.
  const url = address ? URL.parse(address) : null
  return { host: url?.hostname.replace(/^www\./, '') ?? '', path: url?.pathname.replace(/\/+$/, '') ?? '' }
}

// Some CNAs name the package only in the address: https://www.npmjs.com/package/micromatch.
const nameIn = (type: string | undefined, path: string) =>
  (type === 'npm' || type === 'nuget' ? /^\/packages?\/(.+)$/.exec(path)?.[1] : undefined) ?? ''
