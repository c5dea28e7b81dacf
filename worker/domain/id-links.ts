import { isCveId } from './cve'

type IdLink = { site: string; url: string }

/**
 * Where an id of a vulnerability or of an advisory is told of, the fullest first; none where we know of no such place.
 *
 * Source: the prefixes of ids that the OSV schema lists ("id, modified fields"), and the addresses of their homes.
 */
export function idLinks(id: string): IdLink[] {
  if (isCveId(id))
    return [
      { site: 'NVD', url: `https://nvd.nist.gov/vuln/detail/${id}` },
      { site: 'cve.org', url: `https://www.cve.org/CVERecord?id=${id}` },
    ]
  if (/^GHSA(-[0-9a-z]{4}){3}$/.test(id)) return [{ site: 'GitHub', url: `https://github.com/advisories/${id}` }]
  if (/^RH[SBE]A-\d{4}:\d+$/.test(id)) return [{ site: 'Red Hat', url: `https://access.redhat.com/errata/${id}` }]
  if (/^(GO|PYSEC|RUSTSEC|OSV|MAL|HSEC|RSEC|PSF|DSA|DLA)-[\w-]+$/.test(id))
    return [{ site: 'OSV', url: `https://osv.dev/vulnerability/${id}` }]
  return []
}
