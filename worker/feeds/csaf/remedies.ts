import type { BulletinBody } from '../../kb/bulletins/contract'
import { isLink } from './links'
import type { CsafVulnerability } from './document'
import type { Placed } from './refer'
import { findTitle } from './vulnerability'

type Remedy = BulletinBody['remediations'][number]

/** Advisories repeat a remedy for each of their vulnerabilities: where it is for the same products, it stands once. */
export function readRemediations(vulns: CsafVulnerability[], { findAbout }: Placed): Remedy[] {
  const remedies = new Map<string, Remedy & { vulns: Set<CsafVulnerability> }>()
  for (const vuln of vulns)
    for (const { category, details, url, restart_required, ...about } of vuln.remediations) {
      const said = {
        category,
        details,
        url: url && isLink(url) ? url : null,
        restart: readRestart(restart_required?.category),
        ...findAbout(about),
      }
      const key = JSON.stringify(said)
      const remedy = remedies.get(key) ?? { ...said, cveids: [], vulns: new Set() }
      remedy.vulns.add(vuln)
      remedies.set(key, remedy)
    }
  return [...remedies.values()].map(({ vulns: own, ...remedy }) => ({
    ...remedy,
    cveids: own.size === vulns.length ? [] : [...new Set([...own].map(nameVuln))],
  }))
}

const nameVuln = (vuln: CsafVulnerability) => vuln.cve ?? findTitle(vuln) ?? 'a vulnerability without an id'

const readRestart = (what: string | undefined) => (what === undefined || what === 'none' ? null : what)
