import type { BulletinBody } from '../../kb/bulletins/contract'
import { isLink } from './document'
import type { CsafDocument, CsafVulnerability } from './document'
import { fitBody } from './fit-body'
import { placeProducts } from './products'
import { readVuln, findTitle } from './vulnerability'
import type { Vuln } from './vulnerability'
import type { Placed } from './products'

/** At most about 60 kB; each product and remedy stands once. */
export function toBody(csaf: CsafDocument): BulletinBody {
  const { category, publisher, tracking, notes } = csaf.document
  const placed = placeProducts(csaf)
  const vulns = csaf.vulnerabilities.map((one) => readVuln(one, placed)).toSorted(byScore)
  const remediations = readRemediations(csaf.vulnerabilities, placed)
  return fitBody({
    category,
    publisher: publisher.name,
    status: tracking.status,
    version: tracking.version,
    notes: joinedNotes(notes),
    products: placed.products,
    products_count: placed.products.length,
    vulns,
    vulns_count: vulns.length,
    remediations,
    remediations_count: remediations.length,
    references: readReferences(csaf),
    acknowledgments: readThanks(csaf),
  })
}

// Highest first: a long document is cut at its end.
const byScore = (a: Vuln, b: Vuln) => (b.cvss?.score ?? -1) - (a.cvss?.score ?? -1)

// A publisher may write each paragraph as a note of its own. Legal notes are left out: the source has them.
function joinedNotes(notes: CsafDocument['document']['notes']) {
  const joined = new Map<string, BulletinBody['notes'][number]>()
  for (const { category, title = null, text } of notes) {
    if (category === 'legal_disclaimer') continue
    const known = joined.get(`${category} ${title}`)
    joined.set(`${category} ${title}`, { category, title, text: known ? `${known.text}\n${text}` : text })
  }
  return [...joined.values()]
}

/** Pages that every CVE has, which each of its places here leads to, and calculators of CVSS. */
const everywhere =
  /^https?:\/\/(?:www\.)?(?:cve\.org\/CVERecord|nvd\.nist\.gov\/vuln\/detail|cve\.mitre\.org|web\.nvd\.nist\.gov\/view\/vuln|cwe\.mitre\.org|first\.org\/cvss)/i

function readReferences({ document, vulnerabilities }: CsafDocument) {
  const own = document.references.filter(({ url }) => isLink(url))
  const others = vulnerabilities.flatMap(({ references }) => references)
  const byUrl = new Map(own.map((one) => [one.url, one]))
  for (const one of others)
    if (isLink(one.url) && !everywhere.test(one.url) && !byUrl.has(one.url)) byUrl.set(one.url, one)
  return [...byUrl.values()].map(({ summary, url }) => ({ summary: summary || url, url }))
}

/** "Jane Doe, John Doe (Acme): reporting it", once each. */
function readThanks({ document, vulnerabilities }: CsafDocument) {
  const all = [...document.acknowledgments, ...vulnerabilities.flatMap(({ acknowledgments }) => acknowledgments)]
  const texts = all.map(({ names, organization, summary }) => {
    const people = names.filter(Boolean).join(', ')
    const whom = people && organization ? `${people} (${organization})` : people || organization
    return [whom, summary].filter(Boolean).join(': ')
  })
  return [...new Set(texts)].filter(Boolean)
}

type Remedy = BulletinBody['remediations'][number]

/** Advisories repeat a remedy for each of their vulnerabilities: where it is for the same products, it stands once. */
function readRemediations(vulns: CsafVulnerability[], { findAbout }: Placed): Remedy[] {
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
