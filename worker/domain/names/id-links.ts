import { isCveId } from './cve'

type IdLink = { site: string; url: string }

/**
 * Pages about an id of a vulnerability or an advisory, the fullest first.
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
  if (/^EUVD-\d{4}-\d+$/.test(id)) return [{ site: 'EUVD', url: `https://euvd.enisa.europa.eu/vulnerability/${id}` }]
  return []
}
