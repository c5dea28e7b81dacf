import { createHash } from 'node:crypto'
import { severity } from '../../domain/scores/cvss'
import { joinSome } from '../../domain/words/short-lists'
import { toBody } from './body'
import { highestCvss } from './vulnerability'
import { isLink, type CsafDocument } from './document'
import { readVendors } from './products'
import { utcStamp } from '../source/dates'

const shownVendors = 3
const maxTitle = 500
const maxImpact = 1_000

export type Bulletin = ReturnType<typeof toBulletin>

export function toBulletin(csaf: CsafDocument, url: string) {
  const { title, publisher, tracking } = csaf.document
  const bulletin = {
    publicid: tracking.id,
    source: readPublisher(publisher.namespace),
    vendor: readVendor(csaf),
    title: title.slice(0, maxTitle),
    severity: readSeverity(csaf),
    impact: readImpact(csaf)?.slice(0, maxImpact) ?? null,
    link: readLink(csaf, url),
    published: utcStamp(tracking.initial_release_date),
    modified: utcStamp(tracking.current_release_date),
    body: JSON.stringify(toBody(csaf)),
    cveids: [...new Set(csaf.vulnerabilities.flatMap(({ cve }) => cve ?? []))],
  }
  const hash = createHash('sha256').update(JSON.stringify(bulletin)).digest('base64url').slice(0, 22)
  return { ...bulletin, version: tracking.version, hash }
}

/** The publisher by its namespace: `https://www.cisa.gov/` is cisa. Together with the id it names a document (CSAF 2.0, 3.2.1.12.4). */
function readPublisher(namespace: string) {
  const host = URL.canParse(namespace) ? new URL(namespace).hostname : ''
  return host.replace(/^www\./, '').replace(/\.[^.]+$/, '') || namespace.slice(0, 100).toLowerCase()
}

// An authority publishes for many vendors: the product tree names the vendor.
function readVendor(csaf: CsafDocument) {
  const vendors = readVendors(csaf)
  return joinSome(vendors, shownVendors) || csaf.document.publisher.name
}

function readSeverity({ document, vulnerabilities }: CsafDocument) {
  if (document.aggregate_severity?.text) return document.aggregate_severity.text
  const scored = vulnerabilities.flatMap((vuln) => highestCvss(vuln) ?? [])
  const [first, ...others] = scored
  if (!first) return null
  const highest = others.reduce((a, b) => (b.score > a.score ? b : a), first)
  return severity(highest.version, highest.score)
}

// CISA says in "Risk evaluation" what an attacker gains; vendors sum up in a note of category summary.
function readImpact({ document: { notes } }: CsafDocument) {
  const risk = notes.find(({ title }) => title?.toLowerCase() === 'risk evaluation')
  return (risk ?? notes.find(({ category }) => category === 'summary'))?.text ?? null
}

// The document's own page for readers, not its JSON.
function readLink({ document: { references } }: CsafDocument, url: string) {
  const own = references.filter((one) => one.category === 'self' && isLink(one.url))
  return (own.find((one) => !one.url.endsWith('.json')) ?? own[0])?.url ?? url
}
